// The operators whose tangents are computed by a formula. All others with a gradient rule have it transposed;
// composites have those of their parts. Internal.
module topbit.transform:forward_table;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :kind;
import :forward;
import :forward_unboxed;

namespace topbit::detail {

// See location_of_kind_rows.
inline constexpr std::source_location location_of_forward_rows = std::source_location::current();

template <auto Kernel, class Op>
consteval author::kernel_row forward_row() {
  if constexpr (author::signature_kernel_for<Kernel, Op>)
    return author::signature_row<Kernel>(Op{}, key::ForwardAD, location_of_forward_rows);
  else
    return author::boxed_row<Kernel>(Op{}, key::ForwardAD, location_of_forward_rows);
}
template <auto Kernel, class... Op>
consteval auto forward_rows_of(operator_list<Op...>) {
  return std::array{forward_row<Kernel, Op>()...};
}
// In operators or overload sets.
template <class Kind, auto... X>
consteval auto forward_rows() {
  using operators = joined_operators<operator_list<>, typename operators_in<std::remove_const_t<decltype(X)>>::type...>;
  return forward_rows_of<Kind{}>(typename operators::type{});
}

// Formatted by hand: a family a line.
// clang-format off

inline constexpr auto term_operators = forward_rows<unboxed_sum, aten::add_Tensor, aten::sub_Tensor>();

inline constexpr auto sum_operators = forward_rows<sum_kind, aten::cat, aten::select_scatter, aten::slice_scatter, aten::diagonal_scatter>();

inline constexpr auto linear_operators = forward_rows<linear_kind,
    neg, deg2rad, rad2deg, aten::sum, aten::sum_dim_IntList, cumsum,
    aten::alias, aten::view, aten::expand, aten::permute, aten::transpose_int, aten::select_int,
    aten::slice_Tensor, aten::squeeze, aten::squeeze_dim, aten::unsqueeze, aten::unfold, aten::diagonal, aten::clone,
    aten::_to_copy, aten::flip, aten::roll, aten::repeat, aten::tril, aten::triu, aten::diag, aten::gather, aten::take,
    aten::index_Tensor, aten::index_select, aten::masked_select, aten::index_add, aten::index_copy, aten::index_put,
    aten::scatter_src, aten::scatter_add, aten::avg_pool2d, aten::_adaptive_avg_pool2d, aten::_pad_circular,
    aten::reflection_pad1d, aten::reflection_pad2d, aten::reflection_pad3d, aten::replication_pad1d,
    aten::replication_pad2d, aten::replication_pad3d>();

inline constexpr auto as_strided_operators = forward_rows<as_strided_kind, aten::as_strided>();

inline constexpr auto product_operators = forward_rows<unboxed_product, aten::mul_Tensor, aten::mm, aten::bmm>();

inline constexpr auto layer_operators = forward_rows<layer_kind, aten::linear>();

inline constexpr auto elementwise_operators = forward_rows<unboxed_elementwise,
    aten::div_Tensor, aten::pow_Tensor_Tensor, aten::maximum, aten::minimum, aten::fmax, aten::fmin, aten::atan2, aten::hypot,
    aten::copysign_Tensor, aten::logaddexp, aten::xlogy_Tensor, aten::lerp_Tensor, aten::addcmul, aten::addcdiv,
    aten::where_self, aten::fmod_Tensor, aten::remainder_Tensor,
    aten::abs, aten::square, aten::frac, aten::nan_to_num, aten::reciprocal, aten::sqrt, aten::rsqrt, aten::exp, aten::exp2,
    aten::expm1, aten::log, aten::log2, aten::log10, aten::log1p, aten::sin, aten::cos, aten::tan, aten::asin, aten::acos,
    aten::atan, aten::sinh, aten::cosh, aten::tanh, aten::asinh, aten::acosh, aten::atanh, aten::erf, aten::erfc, aten::erfinv,
    aten::lgamma, aten::digamma, aten::sigmoid, aten::logit, aten::relu, aten::leaky_relu, aten::elu, aten::silu, aten::gelu,
    aten::mish, aten::softplus, aten::hardswish, aten::hardsigmoid, aten::log_sigmoid, aten::clamp,
    aten::threshold, aten::hardshrink, aten::softshrink, aten::_prelu_kernel, native::squared_difference,
    native::smooth_l1, native::huber>();

inline constexpr auto copy_operators = forward_rows<copy_kind, aten::copy_>();

// clang-format on

}  // namespace topbit::detail
