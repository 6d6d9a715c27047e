// Arithmetic of two tensors: the operation or structured kernel of each operator, and its forms.
module topbit.ops:arithmetic.arithmetic_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :arithmetic.arithmetic;
import :elementwise.elementwise;
import :elementwise.elementwise_kernels;
import :elementwise.operation;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

inline constexpr auto arithmetic_forms = forms_list<
    elementwise_forms<elementwise::add, aten::add_Tensor, aten::add_Tensor_, aten::add_out>,
    elementwise_forms<elementwise::sub, aten::sub_Tensor, aten::sub_Tensor_, aten::sub_out>,
    elementwise_forms<elementwise::mul, aten::mul_Tensor, aten::mul_Tensor_, aten::mul_out>,
    elementwise_forms<elementwise::div, aten::div_Tensor, aten::div_Tensor_, aten::div_out>,
    structured_forms<div_mode_kernel, elementwise_abilities, aten::div_Tensor_mode, aten::div_Tensor_mode_,
                     aten::div_out_mode>,
    elementwise_forms<elementwise::div_floor, aten::floor_divide, aten::floor_divide_Tensor_, aten::floor_divide_out>,
    elementwise_forms<elementwise::remainder, aten::remainder_Tensor, aten::remainder_Tensor_,
                      aten::remainder_Tensor_out>,
    elementwise_forms<elementwise::fmod, aten::fmod_Tensor, aten::fmod_Tensor_, aten::fmod_Tensor_out>,
    elementwise_forms<elementwise::pow, aten::pow_Tensor_Tensor, aten::pow_Tensor_, aten::pow_Tensor_Tensor_out>,
    elementwise_forms<elementwise::maximum, aten::maximum, aten::maximum_out>,
    elementwise_forms<elementwise::minimum, aten::minimum, aten::minimum_out>,
    elementwise_forms<elementwise::fmax, aten::fmax, aten::fmax_out>,
    elementwise_forms<elementwise::fmin, aten::fmin, aten::fmin_out>,
    elementwise_forms<elementwise::atan2, aten::atan2, aten::atan2_, aten::atan2_out>,
    elementwise_forms<elementwise::hypot, aten::hypot, aten::hypot_, aten::hypot_out>,
    elementwise_forms<elementwise::copysign, aten::copysign_Tensor, aten::copysign_Tensor_, aten::copysign_out>,
    elementwise_forms<elementwise::logaddexp, aten::logaddexp, aten::logaddexp_out>,
    elementwise_forms<elementwise::xlogy, aten::xlogy_Tensor, aten::xlogy_Tensor_, aten::xlogy_OutTensor>,
    structured_forms<same_type_kernel<elementwise::heaviside>, elementwise_abilities, aten::heaviside, aten::heaviside_,
                     aten::heaviside_out>>();

}  // namespace topbit::detail
