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
    forms_list<pointwise_forms<pointwise::neg, ops::neg, ops::neg_, ops::neg_out>,
               pointwise_forms<pointwise::abs, ops::abs, ops::abs_, ops::abs_out>,
               pointwise_forms<pointwise::sign, ops::sign, ops::sign_, ops::sign_out>,
               pointwise_forms<pointwise::square, ops::square, ops::square_, ops::square_out>,
               pointwise_forms<pointwise::ceil, ops::ceil, ops::ceil_, ops::ceil_out>,
               pointwise_forms<pointwise::floor, ops::floor, ops::floor_, ops::floor_out>,
               pointwise_forms<pointwise::round, ops::round, ops::round_, ops::round_out>,
               pointwise_forms<pointwise::round, ops::round_decimals, ops::round_decimals_, ops::round_decimals_out>,
               pointwise_forms<pointwise::trunc, ops::trunc, ops::trunc_, ops::trunc_out>,
               pointwise_forms<pointwise::frac, ops::frac, ops::frac_, ops::frac_out>,
               ruled<nan_to_num_rule, pointwise_abilities, ops::nan_to_num, ops::nan_to_num_, ops::nan_to_num_out>,
               pointwise_forms<pointwise::bitwise_not, ops::bitwise_not, ops::bitwise_not_, ops::bitwise_not_out>,
               pointwise_forms<pointwise::reciprocal, ops::reciprocal, ops::reciprocal_, ops::reciprocal_out>,
               pointwise_forms<pointwise::sqrt, ops::sqrt, ops::sqrt_, ops::sqrt_out>,
               pointwise_forms<pointwise::rsqrt, ops::rsqrt, ops::rsqrt_, ops::rsqrt_out>,
               pointwise_forms<pointwise::exp, ops::exp, ops::exp_, ops::exp_out>,
               pointwise_forms<pointwise::exp2, ops::exp2, ops::exp2_, ops::exp2_out>,
               pointwise_forms<pointwise::expm1, ops::expm1, ops::expm1_, ops::expm1_out>,
               pointwise_forms<pointwise::log, ops::log, ops::log_, ops::log_out>,
               pointwise_forms<pointwise::log2, ops::log2, ops::log2_, ops::log2_out>,
               pointwise_forms<pointwise::log10, ops::log10, ops::log10_, ops::log10_out>,
               pointwise_forms<pointwise::log1p, ops::log1p, ops::log1p_, ops::log1p_out>,
               pointwise_forms<pointwise::sin, ops::sin, ops::sin_, ops::sin_out>,
               pointwise_forms<pointwise::cos, ops::cos, ops::cos_, ops::cos_out>,
               pointwise_forms<pointwise::tan, ops::tan, ops::tan_, ops::tan_out>,
               pointwise_forms<pointwise::asin, ops::asin, ops::asin_, ops::asin_out>,
               pointwise_forms<pointwise::acos, ops::acos, ops::acos_, ops::acos_out>,
               pointwise_forms<pointwise::atan, ops::atan, ops::atan_, ops::atan_out>,
               pointwise_forms<pointwise::sinh, ops::sinh, ops::sinh_, ops::sinh_out>,
               pointwise_forms<pointwise::cosh, ops::cosh, ops::cosh_, ops::cosh_out>,
               pointwise_forms<pointwise::tanh, ops::tanh, ops::tanh_, ops::tanh_out>,
               pointwise_forms<pointwise::asinh, ops::asinh, ops::asinh_, ops::asinh_out>,
               pointwise_forms<pointwise::acosh, ops::acosh, ops::acosh_, ops::acosh_out>,
               pointwise_forms<pointwise::atanh, ops::atanh, ops::atanh_, ops::atanh_out>,
               pointwise_forms<pointwise::erf, ops::erf, ops::erf_, ops::erf_out>,
               pointwise_forms<pointwise::erfc, ops::erfc, ops::erfc_, ops::erfc_out>,
               pointwise_forms<pointwise::erfinv, ops::erfinv, ops::erfinv_, ops::erfinv_out>,
               pointwise_forms<pointwise::lgamma, ops::lgamma, ops::lgamma_, ops::lgamma_out>,
               pointwise_forms<pointwise::digamma, ops::digamma, ops::digamma_, ops::digamma_out>,
               pointwise_forms<pointwise::sigmoid, ops::sigmoid, ops::sigmoid_, ops::sigmoid_out>,
               ruled<logit_rule, pointwise_abilities, ops::logit, ops::logit_, ops::logit_out>>;

using activation_forms =
    forms_list<pointwise_forms<pointwise::relu, ops::relu, ops::relu_>,
               pointwise_forms<pointwise::leaky_relu, ops::leaky_relu, ops::leaky_relu_, ops::leaky_relu_out>,
               pointwise_forms<pointwise::elu, ops::elu, ops::elu_, ops::elu_out>,
               pointwise_forms<pointwise::silu, ops::silu, ops::silu_, ops::silu_out>,
               ruled<gelu_rule, pointwise_abilities, ops::gelu, ops::gelu_, ops::gelu_out>,
               pointwise_forms<pointwise::mish, ops::mish, ops::mish_, ops::mish_out>,
               pointwise_forms<pointwise::softplus, ops::softplus, ops::softplus_out>,
               pointwise_forms<pointwise::hardswish, ops::hardswish, ops::hardswish_, ops::hardswish_out>,
               pointwise_forms<pointwise::hardsigmoid, ops::hardsigmoid, ops::hardsigmoid_, ops::hardsigmoid_out>,
               pointwise_forms<pointwise::log_sigmoid, ops::log_sigmoid, ops::log_sigmoid_out>,
               pointwise_forms<pointwise::threshold_backward, ops::threshold_backward, ops::threshold_backward_out>>;

using comparison_forms =
    forms_list<pointwise_forms<pointwise::eq, ops::eq, ops::eq_, ops::eq_out>,
               pointwise_forms<pointwise::ne, ops::ne, ops::ne_, ops::ne_out>,
               pointwise_forms<pointwise::lt, ops::lt, ops::lt_, ops::lt_out>,
               pointwise_forms<pointwise::le, ops::le, ops::le_, ops::le_out>,
               pointwise_forms<pointwise::gt, ops::gt, ops::gt_, ops::gt_out>,
               pointwise_forms<pointwise::ge, ops::ge, ops::ge_, ops::ge_out>,
               pointwise_forms<pointwise::logical_not, ops::logical_not, ops::logical_not_, ops::logical_not_out>,
               pointwise_forms<pointwise::logical_and, ops::logical_and, ops::logical_and_, ops::logical_and_out>,
               pointwise_forms<pointwise::logical_or, ops::logical_or, ops::logical_or_, ops::logical_or_out>,
               pointwise_forms<pointwise::logical_xor, ops::logical_xor, ops::logical_xor_, ops::logical_xor_out>,
               pointwise_forms<pointwise::isnan, ops::isnan>, pointwise_forms<pointwise::isinf, ops::isinf>,
               pointwise_forms<pointwise::isfinite, ops::isfinite>,
               pointwise_forms<pointwise::bitwise_and, ops::bitwise_and, ops::bitwise_and_, ops::bitwise_and_out>,
               pointwise_forms<pointwise::bitwise_or, ops::bitwise_or, ops::bitwise_or_, ops::bitwise_or_out>,
               pointwise_forms<pointwise::bitwise_xor, ops::bitwise_xor, ops::bitwise_xor_, ops::bitwise_xor_out>,
               ruled<shift_rule<pointwise::shift_left>, pointwise_abilities, ops::bitwise_left_shift,
                     ops::bitwise_left_shift_, ops::bitwise_left_shift_out>,
               ruled<shift_rule<pointwise::shift_right>, pointwise_abilities, ops::bitwise_right_shift,
                     ops::bitwise_right_shift_, ops::bitwise_right_shift_out>>;

using ternary_forms =
    forms_list<ruled<where_rule, pointwise_abilities, ops::where, ops::where_out>,
               ruled<clamp_rule, pointwise_abilities, ops::clamp, ops::clamp_, ops::clamp_out>,
               ruled<same_type_rule<pointwise::lerp>, pointwise_abilities, ops::lerp, ops::lerp_, ops::lerp_out>,
               pointwise_forms<pointwise::addcmul, ops::addcmul, ops::addcmul_, ops::addcmul_out>,
               pointwise_forms<pointwise::addcdiv, ops::addcdiv, ops::addcdiv_, ops::addcdiv_out>>;

using elementwise_forms =
    forms_list<pointwise_forms<pointwise::add, ops::add, ops::add_, ops::add_out>,
               pointwise_forms<pointwise::sub, ops::sub, ops::sub_, ops::sub_out>,
               pointwise_forms<pointwise::mul, ops::mul, ops::mul_, ops::mul_out>,
               pointwise_forms<pointwise::div, ops::div, ops::div_, ops::div_out>,
               ruled<div_mode_rule, pointwise_abilities, ops::div_mode, ops::div_mode_, ops::div_mode_out>,
               pointwise_forms<pointwise::div_floor, ops::floor_divide, ops::floor_divide_, ops::floor_divide_out>,
               pointwise_forms<pointwise::remainder, ops::remainder, ops::remainder_, ops::remainder_out>,
               pointwise_forms<pointwise::fmod, ops::fmod, ops::fmod_, ops::fmod_out>,
               pointwise_forms<pointwise::pow, ops::pow, ops::pow_, ops::pow_out>,
               pointwise_forms<pointwise::maximum, ops::maximum, ops::maximum_out>,
               pointwise_forms<pointwise::minimum, ops::minimum, ops::minimum_out>,
               pointwise_forms<pointwise::fmax, ops::fmax, ops::fmax_out>,
               pointwise_forms<pointwise::fmin, ops::fmin, ops::fmin_out>,
               pointwise_forms<pointwise::atan2, ops::atan2, ops::atan2_, ops::atan2_out>,
               pointwise_forms<pointwise::hypot, ops::hypot, ops::hypot_, ops::hypot_out>,
               pointwise_forms<pointwise::copysign, ops::copysign, ops::copysign_, ops::copysign_out>,
               pointwise_forms<pointwise::logaddexp, ops::logaddexp, ops::logaddexp_out>,
               pointwise_forms<pointwise::xlogy, ops::xlogy, ops::xlogy_, ops::xlogy_out>,
               ruled<same_type_rule<pointwise::heaviside>, pointwise_abilities, ops::heaviside, ops::heaviside_,
                     ops::heaviside_out>>;

}  // namespace topbit::detail
