// Gradient rules from formulas: a lambda for each tensor argument of an operator, and the list of tensors that the
// lambdas read. The rest of a rule (see :rule) follows from the operator.
//
//   using rule = author::derivative<mul, author::keep<0, 1>, [](T g, T, T b) { return g * b; },
//                                                            [](T g, T a, T) { return g * a; }>;
//
// A formula takes the gradient of the result, then the saved tensors, in the listed order, then all other arguments of
// the operator. It calls differentiable operators, so that gradients have gradients. Broadcasting and a wider dtype are
// undone by the engine.
export module topbit.autograd:derivative;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :saved;
import :rule;

namespace topbit {

export namespace author {

/// The arguments of an operator that formulas read, from 0; `the_result` is its result.
template <std::size_t... I>
struct keep {};
inline constexpr std::size_t the_result = static_cast<std::size_t>(-1);

/// Instead of a formula: the gradient of this argument is zero.
inline constexpr std::nullptr_t no_gradient = nullptr;

}  // namespace author

namespace detail {

// How a non-tensor argument is saved.
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

// The tensors that formulas read, saved for backward.
template <std::size_t... K>
struct kept_tensors {
  static constexpr bool has_first = ((K == 0) || ...);
  template <std::size_t I>
  using saved = std::conditional_t<I == author::the_result, saved_result, saved_tensor>;
  [[no_unique_address]] std::tuple<saved<K>...> all;

  static kept_tensors of(const auto& arguments, const tensor& r) {
    return {std::tuple<saved<K>...>(save_one<K>(arguments, r)...)};
  }
  template <auto Formula>
  tensor gradient(const tensor& g, const auto& options) const {
    if constexpr (std::same_as<decltype(Formula), std::nullptr_t>) {
      return {};
    } else {
      const auto read = std::apply([](const auto&... s) { return std::make_tuple(tensor(s.get())...); }, all);
      return std::apply(Formula, std::tuple_cat(std::tie(g), read, options));
    }
  }

 private:
  template <std::size_t I>
  static saved<I> save_one(const auto& arguments, const tensor& r) {
    if constexpr (I == author::the_result)
      return saved_result(r);
    else
      return saved_tensor(std::get<I>(arguments));
  }
};
static_assert(std::is_empty_v<kept_tensors<>>);

// The non-tensor arguments, saved for backward.
template <class A>
using kept_option = std::conditional_t<is_tensor_argument<A>, std::tuple<>, std::tuple<kept_argument_t<A>>>;
template <class... A>
using kept_options = decltype(std::tuple_cat(std::declval<kept_option<A>>()...));

template <class... A>
kept_options<A...> keep_options(const std::remove_cvref_t<A>&... a) {
  const auto one = []<class B>(const B& x) -> kept_option<B> {
    if constexpr (is_tensor_argument<B>)
      return {};
    else
      return kept_option<B>(keep_argument(x));
  };
  return std::tuple_cat(one(a)...);
}

template <class Keep, class Sig, auto... Formulas>
struct derivative_of;

template <std::size_t... K, class R, class... A, auto... Formulas>
struct derivative_of<author::keep<K...>, R(A...), Formulas...> {
  static_assert(std::same_as<R, tensor>, "a derivative is of one result; write a rule for several");
  static constexpr std::size_t tensors = (std::size_t{0} + ... + (is_tensor_argument<A> ? 1 : 0));
  static_assert(sizeof...(Formulas) == tensors, "a derivative has a formula for each argument that is a tensor");
  static constexpr bool keeps_first_argument = kept_tensors<K...>::has_first, saves_tensors = sizeof...(K) != 0;

  [[no_unique_address]] kept_tensors<K...> kept;
  [[no_unique_address]] kept_options<A...> options;

  static derivative_of save(A... a, const tensor& r) {
    return {kept_tensors<K...>::of(std::tie(a...), r), keep_options<A...>(a...)};
  }

  std::array<tensor, tensors> backward(const tensor& g, std::array<bool, tensors> wanted) const {
    std::array<tensor, tensors> all;
    std::size_t i = 0;
    ((wanted[i] ? void(all[i] = kept.template gradient<Formulas>(g, options)) : void(), ++i), ...);
    return all;
  }
};

}  // namespace detail

export namespace author {

/// A gradient rule of `Op` from formulas, one for each argument that is a tensor or an optional one. Also for the
/// in-place form. Operators with several results or lists of tensors need a rule as a struct.
template <const auto& Op, class Keep, auto... Formulas>
using derivative = topbit::detail::derivative_of<
    Keep, topbit::detail::functional_t<typename std::remove_cvref_t<decltype(Op)>::signature>, Formulas...>;

/// A formula with the tensors that this one reads, which are saved only if its gradient is needed: `x * 2` saves
/// nothing of x, which may be written afterwards.
template <class Keep, auto Formula>
struct formula;
template <std::size_t... K, auto Formula>
struct formula<keep<K...>, Formula> {
  static constexpr bool reads_first = topbit::detail::kept_tensors<K...>::has_first, saves_tensors = sizeof...(K) != 0;
  [[no_unique_address]] topbit::detail::kept_tensors<K...> kept;

  static formula save(bool wanted, const auto& arguments, const tensor& r) {
    return wanted ? formula{topbit::detail::kept_tensors<K...>::of(arguments, r)} : formula{};
  }
  tensor gradient(const tensor& g, const auto& options) const { return kept.template gradient<Formula>(g, options); }
};
/// Instead of a part: this argument has no gradient.
using without_gradient = formula<keep<>, no_gradient>;

template <class Sig, class... Part>
struct derivative_in_parts;
template <class... A, class... Part>
struct derivative_in_parts<tensor(A...), Part...> {
  static_assert(sizeof...(Part) == (std::size_t{0} + ... + topbit::detail::is_tensor_argument<A>),
                "a part for each tensor");
  static constexpr bool keeps_first_argument = (Part::reads_first || ...), saves_tensors = (Part::saves_tensors || ...);
  std::tuple<Part...> parts;
  [[no_unique_address]] topbit::detail::kept_options<A...> options;

  // The tensors come first among the arguments.
  static derivative_in_parts save(A... a, const tensor& r) {
    const auto arguments = std::tie(a...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return derivative_in_parts{{Part::save(requires_grad(std::get<I>(arguments)), arguments, r)...},
                                 topbit::detail::keep_options<A...>(a...)};
    }(std::index_sequence_for<Part...>());
  }
  std::array<tensor, sizeof...(Part)> backward(const tensor& g, std::array<bool, sizeof...(Part)> wanted) const {
    std::array<tensor, sizeof...(Part)> all;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      ((wanted[I] ? void(all[I] = std::get<I>(parts).gradient(g, options)) : void()), ...);
    }(std::index_sequence_for<Part...>());
    return all;
  }
};
/// A gradient rule of `Op` from parts, one for each argument that is a tensor; these come first among its arguments.
template <const auto& Op, class... Part>
using in_parts =
    derivative_in_parts<topbit::detail::functional_t<typename std::remove_cvref_t<decltype(Op)>::signature>, Part...>;

}  // namespace author

}  // namespace topbit
