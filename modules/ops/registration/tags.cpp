// Tags of operators that follow neither from their schemas nor from the kernels of their families: those of
// PyTorch 2.15, and what reads elements for the host.
module topbit.ops;

import topbit.std;
import topbit.core;

namespace topbit::detail {

namespace {

template <const auto&... Op>
void tag_all(tag_set tags) {
  const author::kernel_row rows[] = {author::tagged(Op, tags)...};
  author::register_rows(rows);
}

}  // namespace

void register_tags() {
  using enum tag;
  tag_all<aten::add_Scalar, aten::add_Scalar_, aten::bitwise_and_Scalar, aten::bitwise_and_Scalar_,
          aten::bitwise_and_Scalar_Tensor, aten::bitwise_and_Scalar_out, aten::bitwise_left_shift_Scalar_Tensor,
          aten::bitwise_left_shift_Tensor, aten::bitwise_left_shift_Tensor_, aten::bitwise_left_shift_Tensor_Scalar,
          aten::bitwise_left_shift_Tensor_Scalar_, aten::bitwise_left_shift_Tensor_Scalar_out,
          aten::bitwise_left_shift_Tensor_out, aten::bitwise_or_Scalar, aten::bitwise_or_Scalar_,
          aten::bitwise_or_Scalar_Tensor, aten::bitwise_or_Scalar_out, aten::bitwise_right_shift_Scalar_Tensor,
          aten::bitwise_right_shift_Tensor, aten::bitwise_right_shift_Tensor_, aten::bitwise_right_shift_Tensor_Scalar,
          aten::bitwise_right_shift_Tensor_Scalar_, aten::bitwise_right_shift_Tensor_Scalar_out,
          aten::bitwise_right_shift_Tensor_out, aten::bitwise_xor_Scalar, aten::bitwise_xor_Scalar_,
          aten::bitwise_xor_Scalar_Tensor, aten::bitwise_xor_Scalar_out, aten::celu, aten::celu_, aten::clamp,
          aten::clamp_, aten::clamp_Tensor, aten::clamp_Tensor_, aten::clamp_Tensor_out, aten::clamp_max,
          aten::clamp_max_, aten::clamp_max_Tensor, aten::clamp_max_Tensor_, aten::clamp_max_Tensor_out,
          aten::clamp_max_out, aten::clamp_min, aten::clamp_min_, aten::clamp_min_Tensor, aten::clamp_min_Tensor_,
          aten::clamp_min_Tensor_out, aten::clamp_min_out, aten::clamp_out, aten::clone, aten::copysign_Scalar,
          aten::copysign_Scalar_, aten::copysign_Scalar_out, aten::div_Scalar, aten::div_Scalar_, aten::div_Scalar_mode,
          aten::div_Scalar_mode_, aten::div_Tensor_mode, aten::div_Tensor_mode_, aten::div_out_mode, aten::eq_Scalar,
          aten::eq_Scalar_, aten::eq_Scalar_out, aten::fmod_Scalar, aten::fmod_Scalar_, aten::fmod_Scalar_out,
          aten::ge_Scalar, aten::ge_Scalar_, aten::ge_Scalar_out, aten::gelu, aten::gelu_, aten::gelu_out,
          aten::gt_Scalar, aten::gt_Scalar_, aten::gt_Scalar_out, aten::hardtanh, aten::hardtanh_, aten::hardtanh_out,
          aten::le_Scalar, aten::le_Scalar_, aten::le_Scalar_out, aten::lerp_Scalar, aten::lerp_Scalar_,
          aten::lerp_Scalar_out, aten::logit, aten::logit_, aten::logit_out, aten::lt_Scalar, aten::lt_Scalar_,
          aten::lt_Scalar_out, aten::masked_fill_Scalar, aten::masked_fill_Scalar_, aten::masked_fill_Tensor,
          aten::masked_fill_Tensor_, aten::max_other, aten::max_out, aten::min_other, aten::min_out, aten::mul_Scalar,
          aten::mul_Scalar_, aten::nan_to_num, aten::nan_to_num_, aten::nan_to_num_out, aten::native_dropout_backward,
          aten::ne_Scalar, aten::ne_Scalar_, aten::ne_Scalar_out, aten::positive, aten::pow_Scalar, aten::pow_Scalar_,
          aten::pow_Scalar_out, aten::pow_Tensor_Scalar, aten::pow_Tensor_Scalar_out, aten::relu6, aten::relu6_,
          aten::remainder_Scalar, aten::remainder_Scalar_, aten::remainder_Scalar_Tensor, aten::remainder_Scalar_out,
          aten::rsub_Scalar, aten::selu, aten::selu_, aten::sub_Scalar, aten::sub_Scalar_, aten::where_self,
          aten::where_self_out, aten::xlogy_OutScalar_Other, aten::xlogy_OutScalar_Self, aten::xlogy_Scalar_Other,
          aten::xlogy_Scalar_Other_, aten::xlogy_Scalar_Self>(pointwise);
  tag_all<aten::mean, aten::mean_dim, aten::mean_dtype_out, aten::mean_out, aten::std, aten::std_dim, aten::std_mean,
          aten::std_mean_correction, aten::std_mean_dim, aten::std_out, aten::var, aten::var_dim, aten::var_mean,
          aten::var_mean_correction, aten::var_mean_dim, aten::var_out>(reduction);
  tag_all<aten::alpha_dropout, aten::alpha_dropout_, aten::dropout, aten::dropout_, aten::native_dropout, aten::rand,
          aten::rand_like, aten::rand_out, aten::randint, aten::randint_like, aten::randint_like_low_dtype,
          aten::randint_low, aten::randint_low_out, aten::randint_out, aten::randn, aten::randn_like, aten::randn_out,
          aten::randperm, aten::randperm_out, aten::scaled_dot_product_attention>(random);
  tag_all<aten::_unique, aten::_unique2, aten::argwhere, aten::bincount, aten::index_Tensor, aten::index_Tensor_out,
          aten::masked_select, aten::masked_select_out, aten::nonzero, aten::nonzero_out, aten::one_hot,
          aten::repeat_interleave_Tensor, aten::unique_consecutive, aten::unique_dim, aten::unique_dim_consecutive>(
      dynamic_output_shape);
  tag_all<aten::_local_scalar_dense, aten::is_nonzero, aten::equal, aten::allclose>({escape, data_dependent_output});
  tag_all<aten::as_strided_copy, aten::slice_scatter>(view_copy);
}

}  // namespace topbit::detail
