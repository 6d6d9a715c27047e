// Functions of one tensor: the operation or structured kernel of each operator, and its forms.
module topbit.ops:unary.unary_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :elementwise.elementwise;
import :elementwise.elementwise_kernels;
import :elementwise.operation;
import :registration.structured;
import :registration.structured_forms;
import :unary.unary;

namespace topbit::detail {

inline constexpr auto unary_forms = forms_list<
    elementwise_forms<elementwise::neg, aten::neg, aten::neg_, aten::neg_out>,
    elementwise_forms<elementwise::abs, aten::abs, aten::abs_, aten::abs_out>,
    elementwise_forms<elementwise::sign, aten::sign, aten::sign_, aten::sign_out>,
    elementwise_forms<elementwise::sign, aten::sgn, aten::sgn_, aten::sgn_out>,
    elementwise_forms<elementwise::square, aten::square, aten::square_, aten::square_out>,
    elementwise_forms<elementwise::ceil, aten::ceil, aten::ceil_, aten::ceil_out>,
    elementwise_forms<elementwise::floor, aten::floor, aten::floor_, aten::floor_out>,
    elementwise_forms<elementwise::round, aten::round, aten::round_, aten::round_out>,
    elementwise_forms<elementwise::round, aten::round_decimals, aten::round_decimals_, aten::round_decimals_out>,
    elementwise_forms<elementwise::trunc, aten::trunc, aten::trunc_, aten::trunc_out>,
    elementwise_forms<elementwise::frac, aten::frac, aten::frac_, aten::frac_out>,
    structured_forms<nan_to_num_kernel, elementwise_abilities, aten::nan_to_num, aten::nan_to_num_,
                     aten::nan_to_num_out>,
    elementwise_forms<elementwise::bitwise_not, aten::bitwise_not, aten::bitwise_not_, aten::bitwise_not_out>,
    elementwise_forms<elementwise::reciprocal, aten::reciprocal, aten::reciprocal_, aten::reciprocal_out>,
    elementwise_forms<elementwise::deg2rad, aten::deg2rad, aten::deg2rad_, aten::deg2rad_out>,
    elementwise_forms<elementwise::rad2deg, aten::rad2deg, aten::rad2deg_, aten::rad2deg_out>,
    elementwise_forms<elementwise::sqrt, aten::sqrt, aten::sqrt_, aten::sqrt_out>,
    elementwise_forms<elementwise::rsqrt, aten::rsqrt, aten::rsqrt_, aten::rsqrt_out>,
    elementwise_forms<elementwise::exp, aten::exp, aten::exp_, aten::exp_out>,
    elementwise_forms<elementwise::exp2, aten::exp2, aten::exp2_, aten::exp2_out>,
    elementwise_forms<elementwise::expm1, aten::expm1, aten::expm1_, aten::expm1_out>,
    elementwise_forms<elementwise::log, aten::log, aten::log_, aten::log_out>,
    elementwise_forms<elementwise::log2, aten::log2, aten::log2_, aten::log2_out>,
    elementwise_forms<elementwise::log10, aten::log10, aten::log10_, aten::log10_out>,
    elementwise_forms<elementwise::log1p, aten::log1p, aten::log1p_, aten::log1p_out>,
    elementwise_forms<elementwise::sin, aten::sin, aten::sin_, aten::sin_out>,
    elementwise_forms<elementwise::cos, aten::cos, aten::cos_, aten::cos_out>,
    elementwise_forms<elementwise::tan, aten::tan, aten::tan_, aten::tan_out>,
    elementwise_forms<elementwise::asin, aten::asin, aten::asin_, aten::asin_out>,
    elementwise_forms<elementwise::acos, aten::acos, aten::acos_, aten::acos_out>,
    elementwise_forms<elementwise::atan, aten::atan, aten::atan_, aten::atan_out>,
    elementwise_forms<elementwise::sinh, aten::sinh, aten::sinh_, aten::sinh_out>,
    elementwise_forms<elementwise::cosh, aten::cosh, aten::cosh_, aten::cosh_out>,
    elementwise_forms<elementwise::tanh, aten::tanh, aten::tanh_, aten::tanh_out>,
    elementwise_forms<elementwise::asinh, aten::asinh, aten::asinh_, aten::asinh_out>,
    elementwise_forms<elementwise::acosh, aten::acosh, aten::acosh_, aten::acosh_out>,
    elementwise_forms<elementwise::atanh, aten::atanh, aten::atanh_, aten::atanh_out>,
    elementwise_forms<elementwise::erf, aten::erf, aten::erf_, aten::erf_out>,
    elementwise_forms<elementwise::erfc, aten::erfc, aten::erfc_, aten::erfc_out>,
    elementwise_forms<elementwise::erfinv, aten::erfinv, aten::erfinv_, aten::erfinv_out>,
    elementwise_forms<elementwise::lgamma, aten::lgamma, aten::lgamma_, aten::lgamma_out>,
    elementwise_forms<elementwise::digamma, aten::digamma, aten::digamma_, aten::digamma_out>,
    elementwise_forms<elementwise::sigmoid, aten::sigmoid, aten::sigmoid_, aten::sigmoid_out>,
    structured_forms<logit_kernel, elementwise_abilities, aten::logit, aten::logit_, aten::logit_out>>();

}  // namespace topbit::detail
