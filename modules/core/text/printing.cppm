// Text of the library's own types, found and not listed: what has a name_of() has a to_string(), and what has a
// to_string() goes to a stream. Both are looked up by argument alone, and for types of namespace topbit only, so that
// no number, no string and no class of somebody else's is printed by this.
export module topbit.core:text.printing;

import topbit.std;
import :text.text;

namespace topbit {

namespace detail::printing {

// They hide what stands in the namespaces around, whose parameters other types convert to.
void name_of() = delete;
void to_string() = delete;

// A type of this library's, or a container of such.
template <class T>
concept own = raw_type_name<T>().find("topbit::") != std::string_view::npos;

template <class T>
concept named = own<T> && requires(const T& x) {
  { name_of(x) } -> std::same_as<std::string_view>;
};
template <class T>
concept with_text = own<T> && requires(const T& x) {
  { to_string(x) } -> std::same_as<std::string>;
};

}  // namespace detail::printing

/// What name_of() says: "float32", "strided".
export template <detail::printing::named T>
std::string to_string(const T& x) {
  return std::string(name_of(x));
}

/// A type of this library's that has a text. It goes to streams and, with topbit.format, into std::format.
export template <class T>
concept printable = detail::printing::with_text<T>;

/// Writes to_string(x).
export template <printable T>
std::ostream& operator<<(std::ostream& out, const T& x) {
  return out << to_string(x);
}

}  // namespace topbit
