// Gradient rules of comparisons, and of operators of three tensors.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

// Each element's gradient goes to the operand that it was taken from.
using where_rule_of_gradient = in_parts<aten::where_self, without_gradient,
                                        formula<keep<0>, [](T g, T c) { return aten::where_ScalarOther(c, g, 0); }>,
                                        formula<keep<0>, [](T g, T c) { return aten::where_ScalarSelf(c, 0, g); }>>;

// Gradient 0 at the bounds too.
tensor clamp_gradient(T g, T x, const std::optional<scalar>& min, const std::optional<scalar>& max) {
  if (min && max) return native::clamp_backward(g, x, *min, *max);
  return aten::where_ScalarOther(min ? x > *min : x < *max, g, 0);
}
using clamp_rule_of_gradient = in_parts<aten::clamp, formula<keep<0>, clamp_gradient>>;

using lerp_rule =
    in_parts<aten::lerp_Tensor, formula<keep<2>, [](T g, T w) { return aten::addcmul(g, g, w, arg<"value"> = -1); }>,
             formula<keep<2>, [](T g, T w) { return g * w; }>,
             formula<keep<0, 1>, [](T g, T a, T b) { return g * (b - a); }>>;
using addcmul_rule =
    in_parts<aten::addcmul, formula<keep<>, [](T g, const scalar&) { return g; }>,
             formula<keep<2>, [](T g, T b, const scalar& value) { return product(g, b, value.to_double()); }>,
             formula<keep<1>, [](T g, T a, const scalar& value) { return product(g, a, value.to_double()); }>>;
using addcdiv_rule =
    in_parts<aten::addcdiv, formula<keep<>, [](T g, const scalar&) { return g; }>,
             formula<keep<2>, [](T g, T b, const scalar& value) { return quotient(g, b, value.to_double()); }>,
             formula<keep<1, 2>,
                     [](T g, T a, T b, const scalar& value) { return quotient(g * (a / b), b, -value.to_double()); }>>;

// The result of a comparison is piecewise constant; the overwritten elements have no influence.
template <const auto& Op>
using comparison_rule = in_parts<Op, flat, flat>;

constexpr author::kernel_row rows[] = {
    gradient_row<aten::eq_Tensor_, comparison_rule<aten::eq_Tensor_>>(),
    gradient_row<aten::ne_Tensor_, comparison_rule<aten::ne_Tensor_>>(),
    gradient_row<aten::lt_Tensor_, comparison_rule<aten::lt_Tensor_>>(),
    gradient_row<aten::le_Tensor_, comparison_rule<aten::le_Tensor_>>(),
    gradient_row<aten::gt_Tensor_, comparison_rule<aten::gt_Tensor_>>(),
    gradient_row<aten::ge_Tensor_, comparison_rule<aten::ge_Tensor_>>(),
    gradient_row<aten::where_self, where_rule_of_gradient>(),
    gradient_row<aten::clamp, clamp_rule_of_gradient>(),
    gradient_row<aten::clamp_, clamp_rule_of_gradient>(),
    gradient_row<aten::lerp_Tensor, lerp_rule>(),
    in_place_row<aten::lerp_Tensor_, lerp_rule>(),
    gradient_row<aten::addcmul, addcmul_rule>(),
    gradient_row<aten::addcmul_, addcmul_rule>(),
    gradient_row<aten::addcdiv, addcdiv_rule>(),
    gradient_row<aten::addcdiv_, addcdiv_rule>(),
};

}  // namespace

std::span<const author::kernel_row> comparison_gradients() { return rows; }

}  // namespace topbit::detail
