// Comparisons, logic, bits, and operators of three tensors: the operation or structured kernel of each, and its forms.
module topbit.ops:comparison.comparison_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :comparison.comparison;
import :comparison.ternary;
import :elementwise.elementwise;
import :elementwise.elementwise_kernels;
import :elementwise.operation;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

inline constexpr auto comparison_forms = forms_list<
    elementwise_forms<elementwise::eq, aten::eq_Tensor, aten::eq_Tensor_, aten::eq_Tensor_out>,
    elementwise_forms<elementwise::ne, aten::ne_Tensor, aten::ne_Tensor_, aten::ne_Tensor_out>,
    elementwise_forms<elementwise::lt, aten::lt_Tensor, aten::lt_Tensor_, aten::lt_Tensor_out>,
    elementwise_forms<elementwise::le, aten::le_Tensor, aten::le_Tensor_, aten::le_Tensor_out>,
    elementwise_forms<elementwise::gt, aten::gt_Tensor, aten::gt_Tensor_, aten::gt_Tensor_out>,
    elementwise_forms<elementwise::ge, aten::ge_Tensor, aten::ge_Tensor_, aten::ge_Tensor_out>,
    elementwise_forms<elementwise::logical_not, aten::logical_not, aten::logical_not_, aten::logical_not_out>,
    elementwise_forms<elementwise::logical_and, aten::logical_and, aten::logical_and_, aten::logical_and_out>,
    elementwise_forms<elementwise::logical_or, aten::logical_or, aten::logical_or_, aten::logical_or_out>,
    elementwise_forms<elementwise::logical_xor, aten::logical_xor, aten::logical_xor_, aten::logical_xor_out>,
    elementwise_forms<elementwise::isnan, aten::isnan>, elementwise_forms<elementwise::isinf, aten::isinf>,
    elementwise_forms<elementwise::isposinf, aten::isposinf, aten::isposinf_out>,
    elementwise_forms<elementwise::isneginf, aten::isneginf, aten::isneginf_out>,
    elementwise_forms<elementwise::signbit, aten::signbit, aten::signbit_out>,
    elementwise_forms<elementwise::isfinite, aten::isfinite>,
    elementwise_forms<elementwise::bitwise_and, aten::bitwise_and_Tensor, aten::bitwise_and_Tensor_,
                      aten::bitwise_and_Tensor_out>,
    elementwise_forms<elementwise::bitwise_or, aten::bitwise_or_Tensor, aten::bitwise_or_Tensor_,
                      aten::bitwise_or_Tensor_out>,
    elementwise_forms<elementwise::bitwise_xor, aten::bitwise_xor_Tensor, aten::bitwise_xor_Tensor_,
                      aten::bitwise_xor_Tensor_out>,
    structured_forms<shift_kernel<elementwise::shift_left>, elementwise_abilities, aten::bitwise_left_shift_Tensor,
                     aten::bitwise_left_shift_Tensor_, aten::bitwise_left_shift_Tensor_out>,
    structured_forms<shift_kernel<elementwise::shift_right>, elementwise_abilities, aten::bitwise_right_shift_Tensor,
                     aten::bitwise_right_shift_Tensor_, aten::bitwise_right_shift_Tensor_out>>();

inline constexpr auto ternary_forms =
    forms_list<structured_forms<where_kernel, elementwise_abilities, aten::where_self, aten::where_self_out>,
               structured_forms<clamp_kernel, elementwise_abilities, aten::clamp, aten::clamp_, aten::clamp_out>,
               structured_forms<same_type_kernel<elementwise::lerp>, elementwise_abilities, aten::lerp_Tensor,
                                aten::lerp_Tensor_, aten::lerp_Tensor_out>,
               elementwise_forms<elementwise::addcmul, aten::addcmul, aten::addcmul_, aten::addcmul_out>,
               elementwise_forms<elementwise::addcdiv, aten::addcdiv, aten::addcdiv_, aten::addcdiv_out>>();

}  // namespace topbit::detail
