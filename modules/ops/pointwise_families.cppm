// The elementwise operators by family, each with its forms: definitions and every backend's kernels are registered from
// these lists.
export module topbit.ops:pointwise_families;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :activation;
import :comparison;
import :elementwise;
import :pointwise;
import :pointwise_code;
import :pointwise_rules;
import :structured;
import :ternary;
import :unary;

namespace topbit::detail {

using unary_forms =
    forms_list<pointwise_forms<pointwise::neg, aten::neg, aten::neg_, aten::neg_out>,
               pointwise_forms<pointwise::abs, aten::abs, aten::abs_, aten::abs_out>,
               pointwise_forms<pointwise::sign, aten::sign, aten::sign_, aten::sign_out>,
               pointwise_forms<pointwise::square, aten::square, aten::square_, aten::square_out>,
               pointwise_forms<pointwise::ceil, aten::ceil, aten::ceil_, aten::ceil_out>,
               pointwise_forms<pointwise::floor, aten::floor, aten::floor_, aten::floor_out>,
               pointwise_forms<pointwise::round, aten::round, aten::round_, aten::round_out>,
               pointwise_forms<pointwise::round, aten::round_decimals, aten::round_decimals_, aten::round_decimals_out>,
               pointwise_forms<pointwise::trunc, aten::trunc, aten::trunc_, aten::trunc_out>,
               pointwise_forms<pointwise::frac, aten::frac, aten::frac_, aten::frac_out>,
               ruled<nan_to_num_rule, pointwise_abilities, aten::nan_to_num, aten::nan_to_num_, aten::nan_to_num_out>,
               pointwise_forms<pointwise::bitwise_not, aten::bitwise_not, aten::bitwise_not_, aten::bitwise_not_out>,
               pointwise_forms<pointwise::reciprocal, aten::reciprocal, aten::reciprocal_, aten::reciprocal_out>,
               pointwise_forms<pointwise::sqrt, aten::sqrt, aten::sqrt_, aten::sqrt_out>,
               pointwise_forms<pointwise::rsqrt, aten::rsqrt, aten::rsqrt_, aten::rsqrt_out>,
               pointwise_forms<pointwise::exp, aten::exp, aten::exp_, aten::exp_out>,
               pointwise_forms<pointwise::exp2, aten::exp2, aten::exp2_, aten::exp2_out>,
               pointwise_forms<pointwise::expm1, aten::expm1, aten::expm1_, aten::expm1_out>,
               pointwise_forms<pointwise::log, aten::log, aten::log_, aten::log_out>,
               pointwise_forms<pointwise::log2, aten::log2, aten::log2_, aten::log2_out>,
               pointwise_forms<pointwise::log10, aten::log10, aten::log10_, aten::log10_out>,
               pointwise_forms<pointwise::log1p, aten::log1p, aten::log1p_, aten::log1p_out>,
               pointwise_forms<pointwise::sin, aten::sin, aten::sin_, aten::sin_out>,
               pointwise_forms<pointwise::cos, aten::cos, aten::cos_, aten::cos_out>,
               pointwise_forms<pointwise::tan, aten::tan, aten::tan_, aten::tan_out>,
               pointwise_forms<pointwise::asin, aten::asin, aten::asin_, aten::asin_out>,
               pointwise_forms<pointwise::acos, aten::acos, aten::acos_, aten::acos_out>,
               pointwise_forms<pointwise::atan, aten::atan, aten::atan_, aten::atan_out>,
               pointwise_forms<pointwise::sinh, aten::sinh, aten::sinh_, aten::sinh_out>,
               pointwise_forms<pointwise::cosh, aten::cosh, aten::cosh_, aten::cosh_out>,
               pointwise_forms<pointwise::tanh, aten::tanh, aten::tanh_, aten::tanh_out>,
               pointwise_forms<pointwise::asinh, aten::asinh, aten::asinh_, aten::asinh_out>,
               pointwise_forms<pointwise::acosh, aten::acosh, aten::acosh_, aten::acosh_out>,
               pointwise_forms<pointwise::atanh, aten::atanh, aten::atanh_, aten::atanh_out>,
               pointwise_forms<pointwise::erf, aten::erf, aten::erf_, aten::erf_out>,
               pointwise_forms<pointwise::erfc, aten::erfc, aten::erfc_, aten::erfc_out>,
               pointwise_forms<pointwise::erfinv, aten::erfinv, aten::erfinv_, aten::erfinv_out>,
               pointwise_forms<pointwise::lgamma, aten::lgamma, aten::lgamma_, aten::lgamma_out>,
               pointwise_forms<pointwise::digamma, aten::digamma, aten::digamma_, aten::digamma_out>,
               pointwise_forms<pointwise::sigmoid, aten::sigmoid, aten::sigmoid_, aten::sigmoid_out>,
               ruled<logit_rule, pointwise_abilities, aten::logit, aten::logit_, aten::logit_out>>;

using activation_forms = forms_list<
    pointwise_forms<pointwise::relu, aten::relu, aten::relu_>,
    pointwise_forms<pointwise::leaky_relu, aten::leaky_relu, aten::leaky_relu_, aten::leaky_relu_out>,
    pointwise_forms<pointwise::elu, aten::elu, aten::elu_, aten::elu_out>,
    pointwise_forms<pointwise::silu, aten::silu, aten::silu_, aten::silu_out>,
    ruled<gelu_rule, pointwise_abilities, aten::gelu, aten::gelu_, aten::gelu_out>,
    pointwise_forms<pointwise::mish, aten::mish, aten::mish_, aten::mish_out>,
    pointwise_forms<pointwise::softplus, aten::softplus, aten::softplus_out>,
    pointwise_forms<pointwise::hardswish, aten::hardswish, aten::hardswish_, aten::hardswish_out>,
    pointwise_forms<pointwise::hardsigmoid, aten::hardsigmoid, aten::hardsigmoid_, aten::hardsigmoid_out>,
    pointwise_forms<pointwise::log_sigmoid, aten::log_sigmoid, aten::log_sigmoid_out>,
    pointwise_forms<pointwise::threshold_backward, aten::threshold_backward, aten::threshold_backward_grad_input>>;

using comparison_forms =
    forms_list<pointwise_forms<pointwise::eq, aten::eq_Tensor, aten::eq_Tensor_, aten::eq_Tensor_out>,
               pointwise_forms<pointwise::ne, aten::ne_Tensor, aten::ne_Tensor_, aten::ne_Tensor_out>,
               pointwise_forms<pointwise::lt, aten::lt_Tensor, aten::lt_Tensor_, aten::lt_Tensor_out>,
               pointwise_forms<pointwise::le, aten::le_Tensor, aten::le_Tensor_, aten::le_Tensor_out>,
               pointwise_forms<pointwise::gt, aten::gt_Tensor, aten::gt_Tensor_, aten::gt_Tensor_out>,
               pointwise_forms<pointwise::ge, aten::ge_Tensor, aten::ge_Tensor_, aten::ge_Tensor_out>,
               pointwise_forms<pointwise::logical_not, aten::logical_not, aten::logical_not_, aten::logical_not_out>,
               pointwise_forms<pointwise::logical_and, aten::logical_and, aten::logical_and_, aten::logical_and_out>,
               pointwise_forms<pointwise::logical_or, aten::logical_or, aten::logical_or_, aten::logical_or_out>,
               pointwise_forms<pointwise::logical_xor, aten::logical_xor, aten::logical_xor_, aten::logical_xor_out>,
               pointwise_forms<pointwise::isnan, aten::isnan>, pointwise_forms<pointwise::isinf, aten::isinf>,
               pointwise_forms<pointwise::isfinite, aten::isfinite>,
               pointwise_forms<pointwise::bitwise_and, aten::bitwise_and_Tensor, aten::bitwise_and_Tensor_,
                               aten::bitwise_and_Tensor_out>,
               pointwise_forms<pointwise::bitwise_or, aten::bitwise_or_Tensor, aten::bitwise_or_Tensor_,
                               aten::bitwise_or_Tensor_out>,
               pointwise_forms<pointwise::bitwise_xor, aten::bitwise_xor_Tensor, aten::bitwise_xor_Tensor_,
                               aten::bitwise_xor_Tensor_out>,
               ruled<shift_rule<pointwise::shift_left>, pointwise_abilities, aten::bitwise_left_shift_Tensor,
                     aten::bitwise_left_shift_Tensor_, aten::bitwise_left_shift_Tensor_out>,
               ruled<shift_rule<pointwise::shift_right>, pointwise_abilities, aten::bitwise_right_shift_Tensor,
                     aten::bitwise_right_shift_Tensor_, aten::bitwise_right_shift_Tensor_out>>;

using ternary_forms = forms_list<ruled<where_rule, pointwise_abilities, aten::where_self, aten::where_self_out>,
                                 ruled<clamp_rule, pointwise_abilities, aten::clamp, aten::clamp_, aten::clamp_out>,
                                 ruled<same_type_rule<pointwise::lerp>, pointwise_abilities, aten::lerp_Tensor,
                                       aten::lerp_Tensor_, aten::lerp_Tensor_out>,
                                 pointwise_forms<pointwise::addcmul, aten::addcmul, aten::addcmul_, aten::addcmul_out>,
                                 pointwise_forms<pointwise::addcdiv, aten::addcdiv, aten::addcdiv_, aten::addcdiv_out>>;

using elementwise_forms = forms_list<
    pointwise_forms<pointwise::add, aten::add_Tensor, aten::add_Tensor_, aten::add_out>,
    pointwise_forms<pointwise::sub, aten::sub_Tensor, aten::sub_Tensor_, aten::sub_out>,
    pointwise_forms<pointwise::mul, aten::mul_Tensor, aten::mul_Tensor_, aten::mul_out>,
    pointwise_forms<pointwise::div, aten::div_Tensor, aten::div_Tensor_, aten::div_out>,
    ruled<div_mode_rule, pointwise_abilities, aten::div_Tensor_mode, aten::div_Tensor_mode_, aten::div_out_mode>,
    pointwise_forms<pointwise::div_floor, aten::floor_divide, aten::floor_divide_Tensor_, aten::floor_divide_out>,
    pointwise_forms<pointwise::remainder, aten::remainder_Tensor, aten::remainder_Tensor_, aten::remainder_Tensor_out>,
    pointwise_forms<pointwise::fmod, aten::fmod_Tensor, aten::fmod_Tensor_, aten::fmod_Tensor_out>,
    pointwise_forms<pointwise::pow, aten::pow_Tensor_Tensor, aten::pow_Tensor_, aten::pow_Tensor_Tensor_out>,
    pointwise_forms<pointwise::maximum, aten::maximum, aten::maximum_out>,
    pointwise_forms<pointwise::minimum, aten::minimum, aten::minimum_out>,
    pointwise_forms<pointwise::fmax, aten::fmax, aten::fmax_out>,
    pointwise_forms<pointwise::fmin, aten::fmin, aten::fmin_out>,
    pointwise_forms<pointwise::atan2, aten::atan2, aten::atan2_, aten::atan2_out>,
    pointwise_forms<pointwise::hypot, aten::hypot, aten::hypot_, aten::hypot_out>,
    pointwise_forms<pointwise::copysign, aten::copysign_Tensor, aten::copysign_Tensor_, aten::copysign_out>,
    pointwise_forms<pointwise::logaddexp, aten::logaddexp, aten::logaddexp_out>,
    pointwise_forms<pointwise::xlogy, aten::xlogy_Tensor, aten::xlogy_Tensor_, aten::xlogy_OutTensor>,
    ruled<same_type_rule<pointwise::heaviside>, pointwise_abilities, aten::heaviside, aten::heaviside_,
          aten::heaviside_out>>;

}  // namespace topbit::detail
