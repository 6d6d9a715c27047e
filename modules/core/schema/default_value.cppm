// Defaults of a schema as C++ values, made at compile time. The elements of lists and texts are in constant memory,
// once per argument.
export module topbit.core:schema.default_value;

import topbit.std;
import :schema.literal;
import :schema.schema_print;
import :text.characters;
import :text.decimal;
import :text.text;

namespace topbit {

namespace author {

/// How a default in a schema becomes a C++ value: `static constexpr T from(std::string_view literal)` and, where not
/// every literal will do, `static constexpr bool accepts(std::string_view literal)`. Core knows int, float, complex,
/// bool and str, optionals and lists; specialise it in your purview for types of your own.
export template <class T>
struct schema_default;

}  // namespace author

namespace detail {

// The digits of an integer literal.
constexpr std::int64_t integer_value(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::uint64_t magnitude = 0;
  for (char c : text.substr(negative ? 1 : 0)) magnitude = magnitude * 10 + static_cast<std::uint64_t>(c - '0');
  return static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
}
constexpr bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  bool digits = !text.empty();
  for (char c : text) digits = digits && is_digit(c);
  return digits;
}
constexpr bool is_real(std::string_view text) {
  return text == "inf" || text == "-inf" || text == "nan" ||
         (!text.empty() && !text.ends_with('j') && !starts_word(text[0]) && text[0] != '"' && text[0] != '\'' &&
          text[0] != '[');
}
constexpr double real_value(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text.ends_with("inf"))
    return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return decimal(text).value();
}

template <class T>
concept has_schema_default = requires(std::string_view text) {
  { author::schema_default<T>::from(text) } -> std::same_as<T>;
};

// Behind the value that begins here: a list, a string, or a word or number.
constexpr const char* end_of_value(const char* at) noexcept {
  if (*at == '[') {
    at = skip_space(at + 1);
    while (*at != ']') {
      at = skip_space(end_of_value(at));
      if (*at == ',') at = skip_space(at + 1);
    }
    return at + 1;
  }
  if (*at == '"' || *at == '\'') return end_of_string(at);
  while (*at != ',' && *at != ']' && skip_space(at) == at) ++at;
  return at;
}
// An element of a list that the parser has accepted; empty behind the last one.
constexpr std::string_view element_text(std::string_view list, std::size_t wanted) noexcept {
  const char* at = skip_space(list.data() + 1);
  for (std::size_t n = 0; *at != ']'; ++n) {
    const char* const end = end_of_value(at);
    if (n == wanted) return {at, static_cast<std::size_t>(end - at)};
    at = skip_space(end);
    if (*at == ',') at = skip_space(at + 1);
  }
  return {};
}
constexpr std::size_t element_count(std::string_view list) noexcept {
  std::size_t n = 0;
  while (!element_text(list, n).empty()) ++n;
  return n;
}

// A literal of the schema language that T can be: a default is never read as what it merely looks like.
template <class T>
struct default_reader {
  static constexpr bool accepts(std::string_view literal, int) {
    if constexpr (requires { author::schema_default<T>::accepts(literal); })
      return author::schema_default<T>::accepts(literal);
    else
      return has_schema_default<T>;
  }
  static constexpr T from(std::string_view literal) { return author::schema_default<T>::from(literal); }
  // A constant, so that the call holds the value and not the reading of it.
  template <class Op, std::size_t I>
  static constexpr T value() {
    constexpr T constant = author::schema_default<T>::from(Op::default_text(I));
    return constant;
  }
};
template <class T>
struct default_reader<std::optional<T>> {
  static constexpr bool accepts(std::string_view literal, int list_size) {
    return literal == "None" || default_reader<T>::accepts(literal, list_size);
  }
  static constexpr std::optional<T> from(std::string_view literal) {
    if (literal == "None") return std::nullopt;
    return default_reader<T>::from(literal);
  }
  template <class Op, std::size_t I>
  static constexpr std::optional<T> value() {
    if constexpr (Op::default_text(I) != "None") return default_reader<T>::template value<Op, I>();
    return std::nullopt;
  }
};
template <>
struct default_reader<std::string_view> {
  static constexpr bool accepts(std::string_view literal, int) { return literal[0] == '"' || literal[0] == '\''; }
  template <class Op, std::size_t I>
  static constexpr std::string_view value() {
    return {text_of<Op, I>.data(), text_of<Op, I>.size()};
  }

 private:
  template <class Op, std::size_t I>
  static consteval std::size_t size() {
    std::size_t n = 0;
    each_character(Op::default_text(I), [&](char) { ++n; });
    return n;
  }
  template <class Op, std::size_t I>
  static constexpr auto text_of = [] {
    std::array<char, size<Op, I>()> chars{};
    std::size_t n = 0;
    each_character(Op::default_text(I), [&](char c) { chars[n++] = c; });
    return chars;
  }();
};
template <class E>
struct default_reader<std::span<const E>> {
  // A list with a size takes one value for all of its elements.
  static constexpr bool accepts(std::string_view literal, int list_size) {
    if constexpr (!requires { default_reader<E>::from(literal); }) {
      return literal[0] == '[' && element_count(literal) == 0;
    }
    if (literal[0] != '[') return list_size > 0 && default_reader<E>::accepts(literal, -1);
    for (std::size_t i = 0; i < element_count(literal); ++i) {
      if (!default_reader<E>::accepts(element_text(literal, i), -1)) return false;
    }
    return true;
  }
  template <class Op, std::size_t I>
  static constexpr std::span<const E> value() {
    if constexpr (size<Op, I>() != 0)
      return elements<Op, I>;
    else
      return {};
  }

 private:
  template <class Op, std::size_t I>
  static consteval std::size_t size() {
    constexpr std::string_view text = Op::default_text(I);
    return text[0] == '[' ? element_count(text) : static_cast<std::size_t>(Op::list_size(I));
  }
  template <class Op, std::size_t I>
  static constexpr auto elements = [] {
    constexpr std::string_view text = Op::default_text(I);
    std::array<E, size<Op, I>()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = default_reader<E>::from(text[0] == '[' ? element_text(text, i) : text);
    return all;
  }();
};

template <class T, class Op, std::size_t I>
concept default_for = default_reader<T>::accepts(Op::default_text(I), Op::list_size(I));

}  // namespace detail

namespace author {

template <>
struct schema_default<std::int64_t> {
  // "Mean" is the one word PyTorch's schemas use for an integer: a reduction.
  static constexpr bool accepts(std::string_view text) { return text == "Mean" || detail::is_integer(text); }
  static constexpr std::int64_t from(std::string_view text) { return text == "Mean" ? 1 : detail::integer_value(text); }
};
template <>
struct schema_default<double> {
  static constexpr bool accepts(std::string_view text) { return detail::is_real(text); }
  static constexpr double from(std::string_view text) { return detail::real_value(text); }
};
template <>
struct schema_default<std::complex<double>> {
  static constexpr bool accepts(std::string_view text) {
    return detail::is_real(text.ends_with('j') ? text.substr(0, text.size() - 1) : text);
  }
  static constexpr std::complex<double> from(std::string_view text) {
    if (text.ends_with('j')) return {0.0, detail::real_value(text.substr(0, text.size() - 1))};
    return detail::real_value(text);
  }
};
template <>
struct schema_default<bool> {
  static constexpr bool accepts(std::string_view text) { return text == "True" || text == "False"; }
  static constexpr bool from(std::string_view text) { return text == "True"; }
};

}  // namespace author

}  // namespace topbit
