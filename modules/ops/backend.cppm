// From a backend's kernel table to rows: every strided backend gets all its operators from one list.
//
// A backend is a function that returns a table of plain kernels. The functions here turn tensors into shape rule,
// result and plan, and call the table. A table of null is the meta backend: the very same path without the last step,
// so a shape rule is written once. Structured operators have lists of their own (:pointwise_families).
export module topbit.ops:backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :advanced_index_rules;
import :backend_call;
import :create;
import :create_forms;
import :device_check;
import :gather_rules;
import :join_rules;
import :layer_norm_rules;
import :loss_rules;
import :pointwise;
import :pointwise_families;
import :product_families;
import :reduction_families;
import :row_rules;
import :rules;
import :sort_rules;

namespace topbit {

namespace detail {

tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type,
             std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned,
             std::optional<memory_format> format);
tensor& fill(backend_call c, tensor& self, const scalar& value);
tensor& copy(backend_call c, tensor& self, const tensor& src);

}  // namespace detail

export namespace author {

/// The kernels of every operator a table serves.
template <kernel_source Source>
struct strided_backend {
  // Given the arguments, those that are tensors must be on one device.
  template <const auto& Op, class... A>
  static detail::backend_call at(const A&... arguments) {
    check_one_device(Op, arguments...);
    return {Source(), Op.name()};
  }
  static tensor empty(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
                      std::optional<device> where, std::optional<bool> pinned, std::optional<memory_format> format) {
    return detail::empty(ops::empty.name(), size, type, how, where, pinned, format);
  }
  static tensor& fill(tensor& self, const scalar& value) { return detail::fill(at<ops::fill_>(), self, value); }
  static tensor& zero(tensor& self) { return detail::fill(at<ops::zero_>(), self, 0); }
  // Moves between devices.
  static tensor& copy(tensor& self, const tensor& src, bool) { return detail::copy(at<ops::copy_>(), self, src); }
};

/// The rows of one backend for operators that are not elementwise.
template <kernel_source Source>
constexpr auto strided_rows(dispatch_key k, std::source_location where = std::source_location::current()) {
  using b = strided_backend<Source>;
  return std::array{row<&b::empty>(ops::empty, k, where), row<&b::fill>(ops::fill_, k, where),
                    row<&b::zero>(ops::zero_, k, where), row<&b::copy>(ops::copy_, k, where)};
}

/// Registers every operator that a table of kernels serves, for the life of the process. Call it from an interface
/// partition of your module, or at namespace scope of a program. `where` is the place that explain() and errors show:
/// the caller's.
template <kernel_source Source>
void register_strided_backend(dispatch_key k, std::source_location where = std::source_location::current()) {
  register_rows(strided_rows<Source>(k, where));
  detail::elementwise_forms::register_backend<Source>(k, where);
  detail::unary_forms::register_backend<Source>(k, where);
  detail::activation_forms::register_backend<Source>(k, where);
  detail::comparison_forms::register_backend<Source>(k, where);
  detail::ternary_forms::register_backend<Source>(k, where);
  detail::linalg_forms::register_backend<Source>(k, where);
  detail::convolution_forms::register_backend<Source>(k, where);
  detail::pool_forms::register_backend<Source>(k, where);
  detail::reduce_forms::register_backend<Source>(k, where);
  detail::create_forms::register_backend<Source>(k, where);
  detail::sequence_forms::register_backend<Source>(k, where);
  detail::random_forms::register_backend<Source>(k, where);
  detail::softmax_forms::register_backend<Source>(k, where);
  detail::scan_forms::register_backend<Source>(k, where);
  detail::loss_forms::register_backend<Source>(k, where);
  detail::gather_forms::register_backend<Source>(k, where);
  detail::advanced_index_forms::register_backend<Source>(k, where);
  detail::join_forms::register_backend<Source>(k, where);
  detail::sort_forms::register_backend<Source>(k, where);
  detail::layer_norm_forms::register_backend<Source>(k, where);
}

}  // namespace author

}  // namespace topbit
