// One name for several operators: the compiler picks by the arguments.
//
// A call goes through one of these signatures: the one that deduces all arguments, or, since a braced list has no type
// to deduce, one with the parameters of a certain operator, which is there if that operator is the one meant. Both pick
// by overload.cppm's ranking. What nothing fits is an error that names each operator and why it does not.
export module topbit.core:operators.overloads;

import topbit.std;
import :operators.braced_arguments;
import :operators.call;
import :operators.call_mistake;
import :operators.op;
import :operators.overload;
import :schema.signature;
import :text.text;

namespace topbit {

namespace detail {

// What the signatures of a set have in common.
template <class... Op>
struct overload_rules {
  static constexpr std::size_t count = sizeof...(Op);
  template <class... B>
  static constexpr std::size_t chosen = best_of(std::array<fit<sizeof...(B)>, count>{fit_for<Op, B...>...});
  // The first where none or several are meant, so that such a call has a result too.
  template <class... B>
  using chosen_operator = Op...[(chosen<B...> < count) ? chosen<B...> : 0];

  static constexpr std::string_view name = [] {
    constexpr std::string_view first = Op...[0] ::name();
    return first.substr(0, first.find('.'));
  }();

  template <class... B>
  static consteval auto explain() {
    author::basic_verdict<4000> v;
    if constexpr (chosen<B...> == several_overloads) {
      v.add(name).add(": these operators take the arguments equally well: ");
      std::size_t listed = 0;
      ((fit_for<Op, B...>.fits ? v.add(listed++ == 0 ? "" : ", ").add(Op::name()) : v), ...);
      v.add("; call the one you mean by its handle");
    } else {
      if (count > 1) v.add("no operator ").add(name).add(" takes these arguments: ");
      std::size_t listed = 0;
      ((v.add(listed++ == 0 ? "" : "; ").add(explain_fit<Op, B...>().view())), ...);
    }
    return v;
  }
};

struct form_place {
  std::size_t op, arguments;
  bool is_first;  // of those with as many arguments
};

// Whether the first parameters of an operator have one that may be in braces; no further than positional ones go.
template <class Op>
consteval auto brace_counts() {
  std::array<bool, Op::arity + 1> counts{};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const std::array<bool, Op::arity> in_braces{takes_braces<std::remove_cvref_t<parameter_of<Op, I>>>...};
    bool any = false;
    for (std::size_t i = 0; i < Op::arity && !Op::is_keyword_only(i); ++i) counts[i + 1] = any |= in_braces[i];
  }(std::make_index_sequence<Op::arity>{});
  return counts;
}
template <class... Op>
consteval std::size_t form_count() {
  std::size_t n = 0;
  const auto count = [&](const auto& counts) {
    for (bool has : counts) n += has;
  };
  (count(brace_counts<Op>()), ...);
  return n;
}
template <class... Op>
inline constexpr auto form_places = [] {
  std::array<form_place, form_count<Op...>()> places{};
  std::size_t n = 0, op = 0;
  const auto add = [&](const auto& counts) {
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (!counts[k]) continue;
      bool is_first = true;
      for (std::size_t other = 0; other < n; ++other) is_first &= places[other].arguments != k;
      places[n++] = {op, k, is_first};
    }
    ++op;
  };
  (add(brace_counts<Op>()), ...);
  return places;
}();

// A call with these arguments means one operator of the set.
template <class Rules, class... B>
concept means_one = Rules::template chosen<B...> < Rules::count;

// The signature for this many positional arguments of the operator at a place in the set. Where no operator is meant,
// the first one with such a signature says so.
template <class Rules, std::size_t Form, class Indices>
struct brace_form;
template <class... Op, std::size_t Form, std::size_t... I>
struct brace_form<overload_rules<Op...>, Form, std::index_sequence<I...>> {
  using rules = overload_rules<Op...>;
  static constexpr form_place place = form_places<Op...>[Form];
  using called = std::tuple_element_t<place.op, std::tuple<Op...>>;
  template <class... Named>
  static constexpr std::size_t chosen = rules::template chosen<brace_parameter<called, I>..., Named...>;

  template <fixed_string... Name, class... T>
    requires(chosen<author::named_argument<Name, T>...> == place.op ||
             (place.is_first && chosen<author::named_argument<Name, T>...> >= rules::count))
  [[gnu::always_inline]] constexpr result_of_call<called, brace_parameter<called, I>...,
                                                  author::named_argument<Name, T>...>
  operator()(brace_parameter<called, I>... positional, author::named_argument<Name, T>&&... named) const {
    static_assert(means_one<rules, brace_parameter<called, I>..., author::named_argument<Name, T>...>,
                  rules::template explain<brace_parameter<called, I>..., author::named_argument<Name, T>...>());
    if constexpr (chosen<author::named_argument<Name, T>...> == place.op)
      return convert_and_call<called, called>(std::type_identity<typename called::signature>{},
                                              static_cast<brace_parameter<called, I>&&>(positional)...,
                                              std::move(named)...);
  }
};

// A form takes braces as its parameter number Brace, and the other arguments beside them.
template <class Form, std::size_t Brace, class... T>
consteval bool form_takes() {
  if constexpr (Form::place.arguments != 1 + positional_count<T...>() || (is_stored_name<T> || ...)) {
    return false;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (std::is_convertible_v<T...[I], brace_parameter<typename Form::called, I + (I >= Brace)>> && ...);
    }(std::make_index_sequence<positional_count<T...>()>{});
  }
}

// Braces that no form takes: if they are a list of the very type that an operator takes, the call of it, such as that
// which writes to a temporary; else an error that says why, since the compiler would only list all that it has tried.
template <class Forms, class... Op>
struct deduced_braces;
template <std::size_t... F, class... Op>
struct deduced_braces<std::index_sequence<F...>, Op...> {
  using rules = overload_rules<Op...>;
  template <std::size_t Form>
  using form = brace_form<rules, Form, std::make_index_sequence<form_places<Op...>[Form].arguments>>;
  template <class... B>
  using result = result_of_call<typename rules::template chosen_operator<B...>, B...>;

  template <class... B>
  static constexpr result<B...> call(B&&... b) {
    static_assert(means_one<rules, B...>, rules::template explain<B...>());
    using chosen = rules::template chosen_operator<B...>;
    if constexpr (means_one<rules, B...>)
      return convert_and_call<chosen, chosen>(std::type_identity<typename chosen::signature>{}, static_cast<B&&>(b)...);
  }
  template <class E, class... T>
    requires(!(form_takes<form<F>, 0, T...>() || ...))
  constexpr result<std::span<const E>, T...> operator()(std::initializer_list<E> list, T&&... rest) const {
    return call<std::span<const E>, T...>({list.begin(), list.size()}, static_cast<T&&>(rest)...);
  }
  template <class First, class E, class... T>
    requires(!(form_takes<form<F>, 1, First, T...>() || ...))
  constexpr result<First, std::span<const E>, T...> operator()(First&& first, std::initializer_list<E> list,
                                                               T&&... rest) const {
    return call<First, std::span<const E>, T...>(static_cast<First&&>(first), {list.begin(), list.size()},
                                                 static_cast<T&&>(rest)...);
  }
};

template <class Forms, class... Op>
struct overload_set;
template <std::size_t... F, class... Op>
struct overload_set<std::index_sequence<F...>, Op...>
    : deduced_braces<std::index_sequence<F...>, Op...>,
      brace_form<overload_rules<Op...>, F, std::make_index_sequence<form_places<Op...>[F].arguments>>... {
  using rules = overload_rules<Op...>;
  using deduced_braces<std::index_sequence<F...>, Op...>::operator();
  using brace_form<rules, F, std::make_index_sequence<form_places<Op...>[F].arguments>>::operator()...;

  template <class... B>
    requires means_one<rules, B...>
  [[gnu::always_inline]] constexpr result_of_call<typename rules::template chosen_operator<B...>, B...> operator()(
      B&&... b) const {
    using chosen = rules::template chosen_operator<B...>;
    return convert_and_call<chosen, chosen>(std::type_identity<typename chosen::signature>{}, std::forward<B>(b)...);
  }
  template <class... B>
    requires(!means_one<rules, B...>)
  constexpr function_traits<typename rules::template chosen_operator<B...>::signature>::result operator()(
      B&&...) const {
    static_assert(means_one<rules, B...>, rules::template explain<B...>());
  }
};

template <class T>
inline constexpr bool is_overload_set = requires { typename T::rules::template chosen_operator<>; };

}  // namespace detail

/// One name for several operators: `inline constexpr overloads<add_Tensor, add_Scalar> add;` makes `add(x, y)` the call
/// of the operator that takes these arguments. Per argument its exact type is better than a number of the same kind,
/// that better than another conversion that loses nothing, and a number for a list worst; where all arguments are
/// alike, the operator with fewer defaulted parameters is meant, then the one that requires more of the arguments, then
/// the one without an overload name. Keyword-only parameters are given by `arg<"name"> = value`; lists may be in
/// braces. A call that no operator takes, or several take equally well, is an error that says why. The code is that of
/// a call of the operator.
export template <auto... Op>
  requires(sizeof...(Op) != 0 && (static_dispatch::operator_type<decltype(Op)> && ...))
struct overloads
    : detail::overload_set<std::make_index_sequence<detail::form_count<std::remove_const_t<decltype(Op)>...>()>,
                           std::remove_const_t<decltype(Op)>...> {
  /// The type of the operator that a call with arguments of these types calls.
  template <class... B>
    requires detail::means_one<typename overloads::rules, B...>
  using resolve = overloads::rules::template chosen_operator<B...>;
};

}  // namespace topbit
