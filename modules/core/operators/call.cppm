// Default and keyword arguments, and lossless conversions. All of it happens at compile time; what results is the call
// with all arguments by position.
export module topbit.core:operators.call;

import topbit.std;
import :schema.default_value;
import :schema.signature;
import :text.text;

namespace topbit {

namespace author {

/// A keyword argument: made by `arg<"name"> = value`, in the call itself. It refers to the value, which may be a
/// temporary, so a call does not take one that is a variable.
export template <fixed_string Name, class T>
struct named_argument {
  T&& given;
};

/// Whether copies of a T share their elements, as a tensor's do: a call may then write to a temporary, such as a view.
/// Specialise it for types of your own.
export template <class T>
inline constexpr bool copies_share_elements = false;

}  // namespace author

namespace detail {

// `{2, 1}` as a keyword argument. The array behind it lives as long as the call.
struct braced_integers {
  std::initializer_list<std::int64_t> all;
  constexpr operator std::span<const std::int64_t>() const noexcept { return {all.begin(), all.size()}; }
  constexpr operator std::optional<std::span<const std::int64_t>>() const noexcept {
    return std::span<const std::int64_t>(*this);
  }
};

template <fixed_string Name>
struct keyword {
  template <class T>
  constexpr author::named_argument<Name, T> operator=(T&& given [[clang::lifetimebound]]) const noexcept {
    return {std::forward<T>(given)};
  }
  constexpr author::named_argument<Name, braced_integers> operator=(
      std::initializer_list<std::int64_t> all) const noexcept;
};

}  // namespace detail

// Held by value: the list is an object of the assignment, and ends with it.
template <fixed_string Name>
struct author::named_argument<Name, detail::braced_integers> {
  detail::braced_integers given;
};

namespace detail {

template <fixed_string Name>
constexpr author::named_argument<Name, braced_integers> keyword<Name>::operator=(
    std::initializer_list<std::int64_t> all) const noexcept {
  return {{all}};
}

template <class B>
inline constexpr bool is_named = false;
template <fixed_string Name, class T>
inline constexpr bool is_named<author::named_argument<Name, T>> = true;

template <class B>
constexpr std::string_view name_given = {};
template <fixed_string Name, class T>
constexpr std::string_view name_given<author::named_argument<Name, T>> = Name.view();

// A variable of such a type: what it refers to may have ended with the statement that made it.
template <class B>
inline constexpr bool is_stored_name = std::is_lvalue_reference_v<B> && is_named<std::remove_cvref_t<B>>;

// What a caller gives, by name or by position.
template <class B>
struct given {
  using type = B;
};
template <fixed_string Name, class T>
struct given<author::named_argument<Name, T>> {
  using type = T&&;
};
template <class B>
using given_type = given<std::conditional_t<is_named<std::remove_cvref_t<B>>, std::remove_cvref_t<B>, B>>::type;

template <class... B>
consteval std::size_t positional_count() {
  return (std::size_t{0} + ... + (is_named<std::remove_cvref_t<B>> ? 0 : 1));
}

// Where the I-th parameter comes from: an index into the arguments given, or the schema's default.
inline constexpr std::size_t from_default = static_cast<std::size_t>(-1);
inline constexpr std::size_t from_nowhere = static_cast<std::size_t>(-2);

// For all parameters at once, since every one of them is asked for.
template <class Op, class... B>
consteval auto find_sources() {
  constexpr std::size_t positional = positional_count<B...>();
  const std::array<std::string_view, sizeof...(B)> names{name_given<std::remove_cvref_t<B>>...};
  std::array<std::size_t, Op::arity> sources{};
  for (std::size_t i = 0; i < Op::arity; ++i) {
    sources[i] = i < positional ? i : Op::default_text(i).empty() ? from_nowhere : from_default;
    for (std::size_t b = positional; i >= positional && b < names.size(); ++b) {
      if (names[b] == Op::argument_name(i)) sources[i] = b;
    }
  }
  return sources;
}
template <class Op, class... B>
inline constexpr auto sources = find_sources<Op, B...>();

// Keywords written in the call, positional arguments first and none of them keyword-only, every keyword the name of a
// later argument, and every parameter with a source. The full call, all arguments in their order, is not checked here:
// it is a kernel's own form.
template <class Op, class... B>
consteval bool all_sources_known() {
  if ((is_stored_name<B> || ...)) return false;
  constexpr std::size_t positional = positional_count<B...>();
  for (std::size_t i = 0; i < positional; ++i) {
    if (Op::is_keyword_only(i)) return false;
  }
  const std::array<std::string_view, sizeof...(B)> names{name_given<std::remove_cvref_t<B>>...};
  for (std::size_t b = 0; b < names.size(); ++b) {
    if ((b < positional) != names[b].empty()) return false;
    if (b < positional) continue;
    bool known = false;
    for (std::size_t i = positional; i < Op::arity; ++i) known |= Op::argument_name(i) == names[b];
    for (std::size_t other = b + 1; other < names.size(); ++other) known &= names[other] != names[b];
    if (!known) return false;
  }
  for (std::size_t source : sources<Op, B...>) {
    if (source == from_nowhere) return false;
  }
  return true;
}

// Numbers of which every value of the one is a value of the other. A bool is an integer; nothing else becomes a bool,
// and other types become numbers by static_cast only.
template <class To, class From>
consteval bool keeps_value_of() {
  if constexpr (std::same_as<To, From>) {
    return true;
  } else if constexpr (!std::is_arithmetic_v<From> || std::same_as<To, bool>) {
    return false;
  } else {
    return std::numeric_limits<From>::digits <= std::numeric_limits<To>::digits &&
           (std::numeric_limits<To>::is_signed || !std::numeric_limits<From>::is_signed) &&
           (std::floating_point<To> || std::integral<From>);
  }
}

// Where the schema says `int[2]`, one number stands for two; where it says `int[]`, for a list of one.
template <class A>
inline constexpr bool is_number_list = false;
template <>
inline constexpr bool is_number_list<std::span<const std::int64_t>> = true;
template <>
inline constexpr bool is_number_list<std::optional<std::span<const std::int64_t>>> = true;

template <std::size_t N>
struct repeated_number {
  std::int64_t all[N];
  constexpr repeated_number() noexcept = default;
  constexpr explicit repeated_number(std::int64_t x) noexcept {
    for (std::int64_t& one : all) one = x;
  }
  constexpr operator std::span<const std::int64_t>() const noexcept { return all; }
  constexpr operator std::optional<std::span<const std::int64_t>>() const noexcept { return std::span(all); }
};

template <class Op, std::size_t I>
using parameter_of = function_traits<typename Op::signature>::template parameter<I>;

// How many copies of one number a list parameter takes, by its size in the schema.
constexpr std::size_t copies_of_number(int list_size) {
  return list_size > 0 ? static_cast<std::size_t>(list_size) : 1;
}

template <class T>
concept number_of_list = std::integral<T> && !std::same_as<T, bool> && keeps_value_of<std::int64_t, T>();
template <class Op, std::size_t I, class B>
concept stands_for_list =
    is_number_list<std::remove_cvref_t<parameter_of<Op, I>>> && number_of_list<std::remove_cvref_t<given_type<B>>>;

template <class Op, class... B>
consteval bool some_stand_for_lists() {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (stands_for_list<Op, I, B> || ...);
  }(std::index_sequence_for<B...>{});
}

// All arguments by position are the full call, but where a number stands for a list.
template <class Op, class... B>
consteval bool has_right_count() {
  if constexpr (sizeof...(B) > Op::arity)
    return false;
  else
    return positional_count<B...>() < Op::arity || some_stand_for_lists<Op, B...>();
}

template <class To, class From>
inline constexpr bool keeps_value = true;
template <class To, class From>
  requires std::is_arithmetic_v<To>
inline constexpr bool keeps_value<To, From> = keeps_value_of<To, From>();
template <class T, class From>
inline constexpr bool keeps_value<std::complex<T>, From> =
    std::same_as<From, std::complex<float>> || std::same_as<From, std::complex<T>> || keeps_value_of<T, From>();
template <class To, class From>
inline constexpr bool keeps_value<std::optional<To>, From> =
    std::same_as<From, std::nullopt_t> || keeps_value<To, From>;
template <class To, class From>
inline constexpr bool keeps_value<std::optional<To>, std::optional<From>> = keeps_value<To, From>;

// A temporary for a parameter that is written to: what is written outlives it.
template <class A, class B>
concept written_temporary =
    std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>> &&
    author::copies_share_elements<std::remove_reference_t<A>> && !std::is_lvalue_reference_v<given_type<B>> &&
    std::is_convertible_v<std::remove_reference_t<given_type<B>>&, A>;

// B can be given for a parameter A. An argument that is written to is of that very type, or what derives, and not
// const.
template <class A, class B>
concept converts_to = (std::is_convertible_v<given_type<B>, A> || written_temporary<A, B>) &&
                      keeps_value<std::remove_cvref_t<A>, std::remove_cvref_t<given_type<B>>>;

template <class Op, std::size_t I, class B>
concept source_fits = converts_to<parameter_of<Op, I>, B> || stands_for_list<Op, I, B>;

template <class Op, std::size_t I, class... B>
consteval bool source_converts() {
  constexpr std::size_t source = sources<Op, B...>[I];
  if constexpr (source == from_default)
    return default_for<std::remove_cvref_t<parameter_of<Op, I>>, Op, I>;
  else
    return source_fits<Op, I, B...[source]>;
}
template <class Op, class... B>
consteval bool all_convert() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (source_converts<Op, I, B...>() && ...);
  }(std::make_index_sequence<Op::arity>{});
}
template <class Op, class... B>
consteval bool writes_temporary() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return ([] {
      constexpr std::size_t source = sources<Op, B...>[I];
      if constexpr (source == from_default || source == from_nowhere)
        return false;
      else
        return written_temporary<parameter_of<Op, I>, B...[source]>;
    }() || ...);
  }(std::make_index_sequence<Op::arity>{});
}

template <class Op, class... B>
concept calls_in_full = sizeof...(B) == Op::arity && positional_count<B...>() == Op::arity && all_convert<Op, B...>() &&
                        !some_stand_for_lists<Op, B...>();
// No keyword-only argument by position.
template <class Op, class... B>
concept fits_schema = sizeof...(B) <= Op::arity && all_sources_known<Op, B...>() && all_convert<Op, B...>();
// Also the full call where an argument that is written to is a temporary, which a kernel's own form does not take.
template <class Op, class... B>
concept calls_by_schema =
    (has_right_count<Op, B...>() && fits_schema<Op, B...>) || (calls_in_full<Op, B...> && writes_temporary<Op, B...>());

template <class Op>
consteval void add_argument(author::verdict& v, std::size_t i) {
  v.add(Op::name()).add(", argument ").add(i + 1);
  if (!Op::argument_name(i).empty()) v.add(" '").add(Op::argument_name(i)).add("'");
}

// The I-th argument of the full call, of parameter type A; B is deduced from forwarding references.
template <class Op, class A, std::size_t I, class... B>
[[gnu::always_inline]] constexpr decltype(auto) argument_for(B&&... all) {
  constexpr std::size_t source = sources<Op, B...>[I];
  if constexpr (source == from_default) {
    return default_reader<std::remove_cvref_t<A>>::template value<Op, I>();
  } else {
    using chosen = B...[source];
    auto&& x = all...[source];
    constexpr bool named = is_named<std::remove_cvref_t<chosen>>;
    if constexpr (stands_for_list<Op, I, chosen>) {
      constexpr std::size_t count = copies_of_number(Op::list_size(I));
      if constexpr (named)
        return repeated_number<count>(static_cast<std::int64_t>(x.given));
      else
        return repeated_number<count>(static_cast<std::int64_t>(x));
    } else if constexpr (written_temporary<A, chosen>) {
      if constexpr (named)
        return static_cast<A>(x.given);
      else
        return static_cast<A>(x);
    } else if constexpr (named) {
      return static_cast<decltype(x.given)&&>(x.given);
    } else {
      return static_cast<chosen&&>(x);
    }
  }
}

// A result is one of the arguments.
template <class R>
inline constexpr bool result_aliases = std::is_lvalue_reference_v<R>;
template <class... T>
inline constexpr bool result_aliases<std::tuple<T...>> = (std::is_lvalue_reference_v<T> || ...);

template <class R>
struct copied_result {
  using type = std::remove_cvref_t<R>;
};
template <class... T>
struct copied_result<std::tuple<T...>> {
  using type = std::tuple<std::remove_cvref_t<T>...>;
};

// What a call returns: the operator's result, but no reference to a temporary, which a copy of the handle replaces.
template <class Op, class... B>
struct call_result {
  using type = function_traits<typename Op::signature>::result;
};
template <class Op, class... B>
  requires(result_aliases<typename function_traits<typename Op::signature>::result> && writes_temporary<Op, B...>())
struct call_result<Op, B...> {
  using type = copied_result<typename function_traits<typename Op::signature>::result>::type;
};
template <class Op, class... B>
using result_of_call = call_result<Op, B...>::type;

// Callee::call with the arguments of the full call.
template <class Op, class Callee, class R, class... A, class... B>
[[gnu::always_inline]] constexpr result_of_call<Op, B...> convert_and_call(std::type_identity<R(A...)>, B&&... b) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) -> result_of_call<Op, B...> {
    return Callee::call(argument_for<Op, A, I, B...>(static_cast<B&&>(b)...)...);
  }(std::index_sequence_for<A...>{});
}

}  // namespace detail

/// `arg<"alpha"> = 2` passes 2 for the argument named alpha. It is written in the call: what is stored in a variable
/// before may refer to a value that is gone, and is a compile-time error.
export template <fixed_string Name>
inline constexpr detail::keyword<Name> arg{};

/// `op(b...)` is a call: every argument is given once, by position or by name, or has a default, and converts without
/// losing anything; for `int[2]` one number stands for two, for `int[]` for a list of one. All arguments by
/// position, as a kernel takes them, is a call too, keyword-only ones among them. For generic code; a call that is none
/// of the operator's is a compile-time error that says why.
export template <class Op, class... B>
concept callable_with = detail::calls_in_full<Op, B...> || detail::calls_by_schema<Op, B...>;

}  // namespace topbit
