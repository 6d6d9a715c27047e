// The policies of the library's operators. The lists are PyTorch 2.15's, without operators that topbit does not have;
// `topbit::` operators have the policy of the operator whose kernel they are. Composites here that are none in PyTorch,
// or have other parts, have the policy that gives the same dtypes: mv, addmv, dot, vdot, index_fill, linalg_matmul,
// nll_loss_nd. So has square, a composite over pow there.
export module topbit.autocast:tables;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :layer;
import :policy;

namespace topbit {

// Formatted by hand: a family a line.
// clang-format off

export inline constexpr auto autocast_cpu = casts::policies(
    casts::lower<
        aten::matmul, aten::linalg_matmul, aten::mm, aten::bmm, aten::addmm, aten::addbmm, aten::baddbmm,
        aten::_addmm_activation, aten::linear,
        aten::conv1d, aten::conv2d, aten::conv3d, aten::conv1d_padding, aten::conv2d_padding, aten::conv3d_padding,
        aten::conv_transpose1d, aten::conv_transpose2d_input, aten::conv_transpose3d_input, native::convolve,
        aten::prelu, aten::scaled_dot_product_attention, native::attend>{},
    casts::fp32<
        aten::binary_cross_entropy, aten::binary_cross_entropy_with_logits, aten::cross_entropy_loss, native::cross_entropy,
        aten::nll_loss, aten::nll_loss2d, aten::nll_loss_nd, aten::kl_div, aten::l1_loss, aten::mse_loss, aten::huber_loss,
        aten::smooth_l1_loss, aten::soft_margin_loss, aten::cdist, aten::prod, aten::prod_dim_int, aten::trace,
        aten::reflection_pad1d, aten::reflection_pad2d,
        aten::replication_pad1d, aten::replication_pad2d, aten::replication_pad3d>{},
    casts::promote<aten::cat, aten::stack, aten::index_copy>{},
    casts::unchanged<aten::mv, aten::addmv, aten::dot, aten::vdot, aten::index_fill_int_Scalar, aten::index_fill_int_Tensor>{});

export inline constexpr auto autocast_cuda = casts::policies(
    casts::lower<
        aten::matmul, aten::linalg_matmul, aten::mm, aten::mv, aten::bmm, aten::addmm, aten::addmv, aten::addr, aten::addbmm, aten::baddbmm,
        aten::linear, aten::einsum, aten::convolution, aten::conv1d, aten::conv2d, aten::conv3d,
        aten::conv_transpose1d, aten::conv_transpose2d_input, aten::conv_transpose3d_input, native::convolve,
        aten::prelu, aten::scaled_dot_product_attention, native::attend>{},
    casts::fp32<
        aten::acos, aten::asin, aten::tan, aten::cosh, aten::sinh, aten::erfinv, aten::exp, aten::expm1,
        aten::log, aten::log10, aten::log1p, aten::log2, aten::reciprocal, aten::rsqrt, aten::softplus,
        aten::pow_Tensor_Scalar, aten::pow_Tensor_Tensor, aten::pow_Scalar, aten::square, aten::logsumexp,
        aten::layer_norm, aten::native_layer_norm, aten::rms_norm, aten::group_norm,
        aten::cosine_similarity, aten::cdist, aten::binary_cross_entropy_with_logits, native::cross_entropy,
        aten::nll_loss, aten::nll_loss2d, aten::nll_loss_nd, aten::kl_div, aten::l1_loss, aten::mse_loss, aten::huber_loss,
        aten::smooth_l1_loss, aten::soft_margin_loss, aten::upsample_nearest2d>{},
    casts::set_dtype<
        aten::sum, aten::sum_dim_IntList, aten::prod, aten::prod_dim_int, aten::cumsum, aten::cumprod,
        aten::softmax_int, aten::log_softmax_int, aten::linalg_vector_norm>{},
    casts::append_dtype<aten::norm_Scalar, aten::norm_ScalarOpt_dtype>{},
    casts::append_dtype<aten::norm_ScalarOpt_dim, aten::norm_ScalarOpt_dim_dtype>{},
    casts::promote<
        aten::addcdiv, aten::addcmul, aten::atan2, aten::cross, aten::dot, aten::vdot, aten::tensordot,
        aten::index_put, aten::scatter_add>{},
    casts::banned<aten::binary_cross_entropy>{});

// clang-format on

namespace detail {

template <class Layer, key_target Key, class... Entry>
consteval auto rows_of_casts(const cast_table<Entry...>&) {
  return static_dispatch::layer_rows<Layer, Key>(typename cast_operator<Entry>::type{}...);
}

}  // namespace detail

export namespace author {

/// Installs a table's policies as kernels for the Autocast key of a backend, as the module does with its own two
/// tables. They are taken back when the result is destroyed; keep() keeps them.
template <backend Where, const auto& Table>
static_dispatch::installation install_casts(std::source_location where = std::source_location::current()) {
  constexpr dispatch_key autocast{functionality::Autocast, Where};
  static constexpr auto rows = topbit::detail::rows_of_casts<autocasting<Where, Table>, autocast>(Table);
  return static_dispatch::install(rows, registry::process(), where);
}

}  // namespace author

namespace detail {

bool register_autocast();
const bool autocast_registered = register_autocast();

}  // namespace detail

}  // namespace topbit
