// A training kept in a file, so that one which is stopped and goes on gives the same bits as one which is not.
export module topbit.training:checkpoint;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :named_tensor;
import :optimizer;
import :parameters;

namespace topbit {

namespace detail {
void save_parameters(const std::string& path, std::span<const named_tensor> parameters);
void load_parameters(const std::string& path, std::span<const named_tensor> parameters);
void save_checkpoint(const std::string& path, std::span<const named_tensor> parameters, const optimizer& o,
                     std::span<const generator> generators);
void load_checkpoint(const std::string& path, std::span<const named_tensor> parameters, optimizer& o,
                     std::span<const generator> generators);
}  // namespace detail

/// A network's tensors to a file of safetensors, by the names that named_parameters() has. Throws what save_tensors()
/// throws.
export template <trainable Module>
void save_parameters(const std::string& path, const Module& m) {
  detail::save_parameters(path, named_parameters(m));
}

/// Writes what such a file has to a network's tensors, in place.
///
/// Errors   what load_tensors() throws; error, shape_error or dtype_error unless the file has the network's names, no
///          more and no fewer, each with the sizes and dtype that it has there. The network is as it was then
export template <trainable Module>
void load_parameters(const std::string& path, const Module& m) {
  detail::load_parameters(path, named_parameters(m));
}

/// Everything the next steps depend on: the network's tensors ("model.<name>"), the optimizer's state
/// ("optimizer.<name>"), seed and place of generators ("generator.<number>"). Not among it are the order of a data
/// set and the options of the optimizer: these the program says again.
export template <trainable Module>
void save_checkpoint(const std::string& path, const Module& m, const optimizer& o,
                     std::initializer_list<generator> generators = {default_generator()}) {
  detail::save_checkpoint(path, named_parameters(m), o, generators);
}

/// Takes all of it back. Errors as load_parameters(); nothing has changed then.
export template <trainable Module>
void load_checkpoint(const std::string& path, const Module& m, optimizer& o,
                     std::initializer_list<generator> generators = {default_generator()}) {
  detail::load_checkpoint(path, named_parameters(m), o, generators);
}

}  // namespace topbit
