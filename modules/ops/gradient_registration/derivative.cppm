// Helpers of the library's gradient rules: registrations, and metadata of arguments. Internal.
//
//   gradient_row<aten::mul_Tensor, derivative<aten::mul_Tensor, keep<0, 1>,
//                                     [](T g, T, T b) { return g * b; },
//                                     [](T g, T a, T) { return g * a; }>>()
export module topbit.ops:gradient_registration.derivative;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :create.create;

namespace topbit::detail {

// The parameter type of formulas.
using T = const tensor&;
using author::derivative, author::keep, author::no_gradient, author::the_result;
using author::derivative_in_parts, author::in_parts, author::formula, author::without_gradient;

/// The registration of an operator with a gradient rule: of the functional or of the in-place form, which share the
/// rule.
template <const auto& Op, class Rule>
constexpr author::kernel_row gradient_row(std::source_location where = std::source_location::current()) {
  return author::row<&author::autograd_kernel<Op, Rule>::run>(Op, key::Autograd, where);
}

/// The registrations of `Op` and of the in-place form `InPlace` by one derivative.
template <const auto& Op, const auto& InPlace, class Keep, auto... Formulas>
constexpr std::array<author::kernel_row, 2> derivative_rows(
    std::source_location where = std::source_location::current()) {
  using rule = derivative<Op, Keep, Formulas...>;
  return {gradient_row<Op, rule>(where), gradient_row<InPlace, rule>(where)};
}
template <const auto& Op, class Keep, auto... Formulas>
constexpr author::kernel_row derivative_row(std::source_location where = std::source_location::current()) {
  return gradient_row<Op, derivative<Op, Keep, Formulas...>>(where);
}

// Shape and dtype of an argument.
struct kind_of {
  shape sizes;
  dtype type;
  kind_of(const tensor& t) : sizes(t.sizes()), type(t.dtype()) {}
  tensor zeros_beside(const tensor& g) const {
    return aten::zeros(sizes, arg<"dtype"> = type, arg<"device"> = g.device());
  }
};

// The sizes of a reduction's result with keepdim, over all dimensions if none is given.
shape kept_sizes(std::string_view op, const tensor& self, std::optional<std::span<const std::int64_t>> dim);

// c + a * b * factor, and a * b * factor, and a / b * factor, each in one pass over the elements.
tensor plus_product(double c, const tensor& a, const tensor& b, double factor = 1);
tensor product(const tensor& a, const tensor& b, double factor);
tensor quotient(const tensor& a, const tensor& b, double factor);

// g * factor; g itself for a factor of 1.
tensor times(const tensor& g, const scalar& factor);

using wants2 = std::array<bool, 2>;
using grads1 = std::array<tensor, 1>;
using grads2 = std::array<tensor, 2>;

}  // namespace topbit::detail
