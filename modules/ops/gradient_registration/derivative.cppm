// What gradient rules of several families share: registrations, metadata of arguments, and rules. Internal.
//
//   gradient_row<aten::mul_Tensor, derivative<aten::mul_Tensor, keep<0, 1>,
//                                     [](T g, T, T b) { return g * b; },
//                                     [](T g, T a, T) { return g * a; }>>()
module topbit.ops:gradient_registration.derivative;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :create.create;
import :registration.caller;

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

// The registrations of these lists, std::arrays.
template <class... Lists>
constexpr auto joined_rows(const Lists&... lists) {
  std::array<author::kernel_row, (std::tuple_size_v<Lists> + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& list) {
    for (const author::kernel_row& row : list) all[next++] = row;
  };
  (append(lists), ...);
  return all;
}

template <class A>
bool has_gradient(const A& argument) {
  if constexpr (std::same_as<A, tensor>)
    return requires_grad(argument);
  else
    return false;
}

// The Autograd kernel of an operator that is composed of differentiable ones by Parts where its calls are recorded.
template <const auto& Op, auto Parts, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct recorded_in_parts;
template <const auto& Op, auto Parts, class... A>
struct recorded_in_parts<Op, Parts, tensor(A...)> {
  static tensor run(key_set keys, A... a) {
    if ((has_gradient(a) || ...)) return Parts(a...);
    return Op.redispatch(keys & below(key::Autograd), a...);
  }
};
// The registrations of an operator that is composed by Parts where its calls are recorded or have tangents, and for
// backends that lack its kernel.
template <const auto& Op, auto Parts>
constexpr std::array<author::kernel_row, 3> rows_in_parts(
    std::source_location where = std::source_location::current()) {
  return {author::row<&recorded_in_parts<Op, Parts>::run>(Op, key::Autograd, where),
          caller_row<Parts, Op>(key::ForwardAD, where), caller_row<Parts, Op>(key::CompositeExplicitAutograd, where)};
}

// The rule of an in-place form. If the other arguments require no gradient, a rule without their formulas is used,
// which avoids a copy of the first argument.
template <const auto& InPlace, class Rule, class Sig = std::remove_cvref_t<decltype(InPlace)>::signature>
struct in_place_kernel;
template <const auto& InPlace, class Sig, class First, class... Rest, class... A>
struct in_place_kernel<InPlace, derivative_in_parts<Sig, First, Rest...>, tensor&(tensor&, A...)> {
  template <class>
  using nothing = without_gradient;
  using whole = derivative_in_parts<Sig, First, Rest...>;
  using first_only = derivative_in_parts<Sig, First, nothing<Rest>...>;

  static tensor& run(key_set keys, tensor& self, A... a) {
    if ((has_gradient(a) || ...)) return author::autograd_kernel<InPlace, whole>::run(keys, self, a...);
    return author::autograd_kernel<InPlace, first_only>::run(keys, self, a...);
  }
};
template <const auto& InPlace, class Rule>
constexpr author::kernel_row in_place_row(std::source_location where = std::source_location::current()) {
  return author::row<&in_place_kernel<InPlace, Rule>::run>(InPlace, key::Autograd, where);
}

// Shape and dtype of an argument.
struct kind_of {
  shape sizes;
  dtype type;
  kind_of(const tensor& t) : sizes(t.sizes()), type(t.dtype()) {}
  // Batched if g is, so that g can be written to them.
  tensor zeros_beside(const tensor& g) const { return aten::new_zeros(g, sizes, arg<"dtype"> = type); }
};

// The sizes of a reduction's result with keepdim, over all dimensions if none is given.
shape kept_sizes(std::string_view op, const tensor& self, std::optional<std::span<const std::int64_t>> dim);

// The gradient g of norms y of order p of x, over the dimensions of size 1 in `kept`, which are the sizes of g and y.
tensor norm_gradient(const tensor& g, const tensor& x, const tensor& y, double p, const shape& kept);

// c + a * b * factor, and a * b * factor, and a / b * factor, each in one pass over the elements.
tensor plus_product(double c, const tensor& a, const tensor& b, double factor = 1);
tensor product(const tensor& a, const tensor& b, double factor);
tensor quotient(const tensor& a, const tensor& b, double factor);

// g * factor; g itself for a factor of 1.
tensor times(const tensor& g, const scalar& factor);

using want1 = std::array<bool, 1>;
using wants2 = std::array<bool, 2>;
using grads1 = std::array<tensor, 1>;
using grads2 = std::array<tensor, 2>;

// Zeros like g: the gradient of a piecewise constant function.
tensor zero_gradient(const tensor& g);
using flat = formula<keep<>, zero_gradient>;

// The rule of operators that overwrite all elements of a tensor.
template <std::size_t Tensors = 1>
struct erase_rule {
  static constexpr bool keeps_first_argument = false;
  static erase_rule save(const auto&...) { return {}; }
  std::array<tensor, Tensors> backward(T, std::array<bool, Tensors>) const { return {}; }
};

// Zeros, with g written to the part that `view` selects.
template <class View>
grads1 put_back(const kind_of& kind, const tensor& g, View view) {
  const tensor whole = kind.zeros_beside(g);
  tensor part = view(whole);
  aten::copy_(part, g);
  return {whole};
}

// Shares g evenly among the elements of x equal to the result y; NaN equals NaN.
tensor shared_by_equals(const tensor& g, const tensor& x, const tensor& y);

using values_and_indices = std::tuple<tensor, tensor>;

// Elements of rows that the result reorders or selects, by their indices. The gradient is scattered back to them.
struct taken_elements {
  kind_of self;
  saved_result indices;
  std::int64_t dim;
  bool dim_is_gone = false;
  static taken_elements of(T self, std::int64_t dim, const values_and_indices& r, bool keepdim = true) {
    return {self, saved_result(std::get<1>(r), 1), dim, !keepdim};
  }
  // `several`: an element may have been selected more than once.
  grads1 put_back(T g, bool several = false) const;
};

// One element of each row: max, median, kthvalue and the like.
struct picked_rule {
  taken_elements from;
  static picked_rule save(T self, std::int64_t dim, bool keepdim, const values_and_indices& r) {
    return {taken_elements::of(self, dim, r, keepdim)};
  }
  static picked_rule save(T self, std::int64_t, std::int64_t dim, bool keepdim, const values_and_indices& r) {
    return save(self, dim, keepdim, r);
  }
  grads1 backward(const std::array<tensor, 2>& g, want1) const { return from.put_back(g[0]); }
};

}  // namespace topbit::detail
