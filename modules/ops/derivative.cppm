// How derivatives are written down, beside the operators they belong to: a formula for each argument that is a tensor,
// and the tensors that the formulas read. Internal.
//
//   gradient_row<ops::mul, derivative<ops::mul, keep<0, 1>,
//                                     [](T g, T, T b) { return g * b; },
//                                     [](T g, T a, T) { return g * a; }>>()
//
// A formula takes the gradient of the result, then the tensors that are kept, in the order they are listed, then all
// other arguments of the operator. Formulas call operators that have derivatives themselves, so that gradients have
// gradients. Broadcasting and a wider dtype are undone by the engine.
export module topbit.ops:derivative;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :create;

namespace topbit::detail {

// For formulas.
using T = const tensor&;

/// The arguments of an operator that formulas read, from 0; `the_result` is its result.
template <std::size_t... I>
struct keep {};
inline constexpr std::size_t the_result = static_cast<std::size_t>(-1);

/// In the place of a formula: this argument has no gradient, which is zero.
inline constexpr std::nullptr_t no_gradient = nullptr;

// How an argument that is no tensor is kept.
template <class A>
struct kept_argument {
  using type = A;
};
template <class E>
struct kept_argument<std::span<const E>> {
  using type = std::vector<E>;
};
template <class E>
struct kept_argument<std::optional<std::span<const E>>> {
  using type = std::optional<std::vector<E>>;
};
template <>
struct kept_argument<std::string_view> {
  using type = std::string;
};
template <>
struct kept_argument<std::optional<std::string_view>> {
  using type = std::optional<std::string>;
};
template <class A>
using kept_argument_t = kept_argument<std::remove_cvref_t<A>>::type;

template <class A>
inline constexpr bool is_tensor_argument =
    std::same_as<std::remove_cvref_t<A>, tensor> || std::same_as<std::remove_cvref_t<A>, std::optional<tensor>>;

template <class A>
kept_argument_t<A> keep_argument(const A& a) {
  if constexpr (requires { kept_argument_t<A>(a.begin(), a.end()); }) {
    return kept_argument_t<A>(a.begin(), a.end());
  } else if constexpr (requires { a->begin(); }) {
    if (!a.has_value()) return std::nullopt;
    return kept_argument_t<A>(std::in_place, a->begin(), a->end());
  } else {
    return a;
  }
}

// Of the form that writes to its first argument, the one that returns a new tensor.
template <class Sig>
struct functional_form {
  using type = Sig;
};
template <class... A>
struct functional_form<tensor&(tensor&, A...)> {
  using type = tensor(const tensor&, A...);
};

template <class Keep, class Sig, auto... Formulas>
struct derivative_of;

template <std::size_t... K, class R, class... A, auto... Formulas>
struct derivative_of<keep<K...>, R(A...), Formulas...> {
  static_assert(std::same_as<R, tensor>, "a derivative is of one result; write a rule for several");
  static constexpr std::size_t tensors = (std::size_t{0} + ... + (is_tensor_argument<A> ? 1 : 0));
  static_assert(sizeof...(Formulas) == tensors, "a derivative has a formula for each argument that is a tensor");
  static constexpr bool keeps_first_argument = ((K == 0) || ...);

  template <std::size_t I>
  using saved = std::conditional_t<I == the_result, saved_result, saved_tensor>;
  template <class B>
  using other = std::conditional_t<is_tensor_argument<B>, std::tuple<>, std::tuple<kept_argument_t<B>>>;

  [[no_unique_address]] std::tuple<saved<K>...> kept;
  [[no_unique_address]] decltype(std::tuple_cat(std::declval<other<A>>()...)) options;

  static derivative_of save(A... a, const tensor& r) {
    const auto given = std::tie(a...);
    return {std::tuple<saved<K>...>(save_one<K>(given, r)...), std::tuple_cat(option<A>(a)...)};
  }

  std::array<tensor, tensors> backward(const tensor& g, std::array<bool, tensors> wanted) const {
    std::array<tensor, tensors> all;
    std::size_t i = 0;
    ((wanted[i] ? void(all[i] = call<Formulas>(g)) : void(), ++i), ...);
    return all;
  }

 private:
  template <std::size_t I>
  static saved<I> save_one(const auto& given, const tensor& r) {
    if constexpr (I == the_result)
      return saved_result(r);
    else
      return saved_tensor(std::get<I>(given));
  }
  template <class B>
  static other<B> option(const std::remove_cvref_t<B>& x) {
    if constexpr (is_tensor_argument<B>)
      return {};
    else
      return other<B>(keep_argument<std::remove_cvref_t<B>>(x));
  }
  template <auto Formula>
  tensor call(const tensor& g) const {
    if constexpr (std::same_as<decltype(Formula), std::nullptr_t>) {
      return {};
    } else {
      const auto read = std::apply([](const auto&... s) { return std::make_tuple(tensor(s.get())...); }, kept);
      return std::apply(Formula, std::tuple_cat(std::tie(g), read, options));
    }
  }
};

template <const auto& Op, class Keep, auto... Formulas>
using derivative =
    derivative_of<Keep, typename functional_form<typename std::remove_cvref_t<decltype(Op)>::signature>::type,
                  Formulas...>;

/// The row of an operator with a rule: of one that returns new tensors, or of the form that writes to its first
/// argument, which has the same rule.
template <const auto& Op, class Rule>
constexpr author::kernel_row gradient_row(std::source_location where = std::source_location::current()) {
  return author::row<&author::autograd_kernel<Op, Rule>::run>(Op, key::Autograd, where);
}

/// The rows of `Op` and of `InPlace`, which writes to its first argument, by one derivative.
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
  dims sizes;
  dtype type;
  kind_of(const tensor& t) : sizes(t.sizes()), type(t.dtype()) {}
  tensor zeros_beside(const tensor& g) const {
    return ops::zeros(sizes, arg<"dtype"> = type, arg<"device"> = g.device());
  }
};

// The sizes of a reduction's result if the dimensions it goes over, all of them if none is given, were kept.
dims kept_sizes(std::string_view op, const tensor& self, std::optional<std::span<const std::int64_t>> dim);

// g times a number, which is often 1.
tensor times(const tensor& g, const scalar& factor);

using wants2 = std::array<bool, 2>;
using grads1 = std::array<tensor, 1>;
using grads2 = std::array<tensor, 2>;

}  // namespace topbit::detail
