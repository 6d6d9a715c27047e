// Checkpoints: a resumed training is bitwise identical to an uninterrupted one.
export module topbit.training:checkpoint;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :loss_scaler;
import :named_tensor;
import :optimizer;
import :parameters;

namespace topbit {

namespace detail {
void save_parameters(const std::string& path, std::span<const named_tensor> parameters);
void load_parameters(const std::string& path, std::span<const named_tensor> parameters);
void save_checkpoint(const std::string& path, std::span<const named_tensor> parameters, const optimizer& o,
                     const loss_scaler* scaler, std::span<const generator> generators);
void load_checkpoint(const std::string& path, std::span<const named_tensor> parameters, optimizer& o,
                     loss_scaler* scaler, std::span<const generator> generators);
}  // namespace detail

/// Writes a network's tensors to a safetensors file, with the names of named_parameters(). Throws what save_tensors()
/// throws.
export template <trainable Module>
void save_parameters(const std::string& path, const Module& m) {
  detail::save_parameters(path, named_parameters(m));
}

/// Loads such a file into a network's tensors, in place.
///
/// Errors   what load_tensors() throws; error, shape_error or dtype_error unless the file has exactly the network's
///          names, each with the same shape and dtype. The network is unchanged then
export template <trainable Module>
void load_parameters(const std::string& path, const Module& m) {
  detail::load_parameters(path, named_parameters(m));
}

/// Everything the next steps depend on: the network's tensors ("model.<name>"), the optimizer's state
/// ("optimizer.<name>"), seed and offset of generators ("generator.<number>"). Not included are the order of a data set
/// and the options of the optimizer, which the program sets again.
export template <trainable Module>
void save_checkpoint(const std::string& path, const Module& m, const optimizer& o,
                     std::initializer_list<generator> generators = {default_generator()}) {
  detail::save_checkpoint(path, named_parameters(m), o, nullptr, generators);
}
/// With a loss scaler's state ("loss_scaler.state").
export template <trainable Module>
void save_checkpoint(const std::string& path, const Module& m, const optimizer& o, const loss_scaler& scaler,
                     std::initializer_list<generator> generators = {default_generator()}) {
  detail::save_checkpoint(path, named_parameters(m), o, &scaler, generators);
}

/// Restores all of it. Errors as load_parameters(); nothing has changed then.
export template <trainable Module>
void load_checkpoint(const std::string& path, const Module& m, optimizer& o,
                     std::initializer_list<generator> generators = {default_generator()}) {
  detail::load_checkpoint(path, named_parameters(m), o, nullptr, generators);
}
export template <trainable Module>
void load_checkpoint(const std::string& path, const Module& m, optimizer& o, loss_scaler& scaler,
                     std::initializer_list<generator> generators = {default_generator()}) {
  detail::load_checkpoint(path, named_parameters(m), o, &scaler, generators);
}

}  // namespace topbit
