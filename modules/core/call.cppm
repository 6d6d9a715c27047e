// Calling with the schema's grace: defaults fill in, keyword arguments go by name. All of it happens at compile time;
// the call that results is the full call.
export module topbit.core:call;

import topbit.std;
import :schema;
import :text;

namespace topbit {

/// How a default in a schema becomes a C++ value: `static constexpr T from(std::string_view literal)` and, where not
/// every literal will do, `static constexpr bool accepts(std::string_view literal)`. Core knows int, float, bool and
/// str; specialise it in your purview for types of your own.
export template <class T>
struct schema_default;

/// A keyword argument on its way into a call.
export template <fixed_string Name, class T>
struct named_argument {
  T&& given;
};

namespace detail {

template <fixed_string Name>
struct keyword {
  template <class T>
  constexpr named_argument<Name, T> operator=(T&& given) const noexcept {
    return {std::forward<T>(given)};
  }
};

constexpr std::int64_t parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::uint64_t magnitude = 0;
  for (char c : text.substr(negative ? 1 : 0)) magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0');
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
}

// Exact for what schemas hold: a few digits and a small exponent.
constexpr double parse_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  double mantissa = 0;
  int exponent = 0;
  std::size_t i = negative ? 1 : 0;
  bool fraction = false;
  for (; i < text.size() && text[i] != 'e'; ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    mantissa = mantissa * 10 + (text[i] - '0');
    if (fraction) --exponent;
  }
  if (i < text.size()) {
    ++i;
    if (text[i] == '+') ++i;
    exponent += static_cast<int>(parse_integer(text.substr(i)));
  }
  double scale = 1;
  for (int e = exponent < 0 ? -exponent : exponent; e > 0; --e) scale *= 10;
  const double magnitude = exponent < 0 ? mantissa / scale : mantissa * scale;
  return negative ? -magnitude : magnitude;
}

template <class T>
concept has_schema_default = requires(std::string_view text) {
  { schema_default<T>::from(text) } -> std::same_as<T>;
};

// A literal of the schema language that T can be: a default is never read as what it merely looks like.
template <class T>
constexpr bool accepts_default(std::string_view literal) {
  if constexpr (requires { schema_default<T>::accepts(literal); })
    return schema_default<T>::accepts(literal);
  else
    return has_schema_default<T>;
}
template <class T, class Op, std::size_t I>
concept default_for = accepts_default<T>(Op::schema().arguments[I].default_text);

// Digits, with a sign if need be, of a number that 64 bits hold.
constexpr bool is_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t magnitude = 0;
  for (char c : text.substr(negative ? 1 : 0)) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (c < '0' || c > '9' || magnitude > (most + negative - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  return !text.empty();
}

template <class B>
inline constexpr bool is_named = false;
template <fixed_string Name, class T>
inline constexpr bool is_named<named_argument<Name, T>> = true;

template <class B>
constexpr std::string_view name_given = {};
template <fixed_string Name, class T>
constexpr std::string_view name_given<named_argument<Name, T>> = Name.view();

template <class... B>
consteval std::size_t positional_count() {
  return (std::size_t{0} + ... + (is_named<std::remove_cvref_t<B>> ? 0 : 1));
}

// Where the I-th parameter comes from: an index into the arguments given, or the schema's default.
inline constexpr std::size_t from_default = static_cast<std::size_t>(-1);
inline constexpr std::size_t from_nowhere = static_cast<std::size_t>(-2);

template <class Op, std::size_t I, class... B>
consteval std::size_t source_of() {
  constexpr std::size_t positional = positional_count<B...>();
  if (I < positional) return I;
  const std::array<std::string_view, sizeof...(B)> names{name_given<std::remove_cvref_t<B>>...};
  for (std::size_t b = positional; b < names.size(); ++b) {
    if (names[b] == Op::argument_name(I)) return b;
  }
  if (I < Op::schema().arguments.size() && Op::schema().arguments[I].has_default) return from_default;
  return from_nowhere;
}

// Positional arguments first and none of them keyword-only, every keyword the name of a later argument, and every
// parameter with a source. The full call, all arguments in their order, is not checked here: it is a kernel's own form.
template <class Op, class... B>
consteval bool all_sources_known() {
  constexpr std::size_t positional = positional_count<B...>();
  for (std::size_t i = 0; i < positional && i < Op::schema().arguments.size(); ++i) {
    if (Op::schema().arguments[i].keyword_only) return false;
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
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((source_of<Op, I, B...>() != from_nowhere) && ...);
  }(std::make_index_sequence<Op::arity>{});
}

template <class Op, class... B>
concept calls_with_defaults =
    sizeof...(B) <= Op::arity && positional_count<B...>() < Op::arity && all_sources_known<Op, B...>();

template <class Op, std::size_t I>
consteval verdict explain_default() {
  verdict v;
  v.add(Op::name()).add(", argument ").add(I + 1).add(" '").add(Op::argument_name(I)).add("': the default '");
  v.add(Op::schema().arguments[I].default_text).add("' has no C++ value; pass it, or specialise ");
  v.add("topbit::schema_default for the argument's type");
  return v;
}

// The I-th argument of the full call, of parameter type A; B is deduced from forwarding references.
template <class Op, class A, std::size_t I, class... B>
constexpr decltype(auto) argument_for(std::tuple<B&&...> given) {
  constexpr std::size_t source = source_of<Op, I, B...>();
  if constexpr (source == from_default) {
    using T = std::remove_cvref_t<A>;
    static_assert(default_for<T, Op, I>, explain_default<Op, I>());
    if constexpr (default_for<T, Op, I>) return schema_default<T>::from(Op::schema().arguments[I].default_text);
  } else {
    using chosen = std::tuple_element_t<source, std::tuple<B&&...>>;
    auto&& x = std::get<source>(std::move(given));
    if constexpr (is_named<std::remove_cvref_t<chosen>>)
      return static_cast<decltype(x.given)&&>(x.given);
    else
      return static_cast<chosen>(x);
  }
}

}  // namespace detail

/// `arg<"alpha"> = 2` passes 2 for the argument named alpha.
export template <fixed_string Name>
inline constexpr detail::keyword<Name> arg{};

template <>
struct schema_default<std::int64_t> {
  // "Mean" is the one word the reference's schemas use for an integer: a reduction.
  static constexpr bool accepts(std::string_view text) { return text == "Mean" || detail::is_integer(text); }
  static constexpr std::int64_t from(std::string_view text) { return text == "Mean" ? 1 : detail::parse_integer(text); }
};
template <>
struct schema_default<double> {
  static constexpr bool accepts(std::string_view text) { return text[0] == '-' || detail::is_digit(text[0]); }
  static constexpr double from(std::string_view text) { return detail::parse_number(text); }
};
template <>
struct schema_default<bool> {
  static constexpr bool accepts(std::string_view text) { return text == "True" || text == "False"; }
  static constexpr bool from(std::string_view text) { return text == "True"; }
};
template <>
struct schema_default<std::string_view> {
  static constexpr bool accepts(std::string_view text) { return text[0] == '"' || text[0] == '\''; }
  static constexpr std::string_view from(std::string_view text) { return text.substr(1, text.size() - 2); }
};
template <class T>
struct schema_default<std::optional<T>> {
  static constexpr bool accepts(std::string_view text) { return text == "None" || detail::accepts_default<T>(text); }
  static constexpr std::optional<T> from(std::string_view text) {
    if constexpr (detail::has_schema_default<T>) {
      if (text != "None") return schema_default<T>::from(text);
    }
    return std::nullopt;
  }
};

}  // namespace topbit
