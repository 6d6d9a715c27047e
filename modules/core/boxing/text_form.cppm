// Values as text, by their C++ type: what is written is read back as the same value. None, True, 3, 2.5, 1+2j,
// "a string", [1, [2, None]]; a type's own boxed_type says what else there is.
export module topbit.core:boxing.text_form;

import topbit.std;
import :boxing.boxed_type;
import :boxing.text_reader;
import :schema.extract;

namespace topbit {

namespace detail {

void write_integer(std::string& out, std::int64_t x);
void write_natural(std::string& out, std::uint64_t x);
// The shortest digits that are read as the same number; a fraction or an exponent tells them from an integer's.
void write_number(std::string& out, float x);
void write_number(std::string& out, double x);
void write_number(std::string& out, long double x);
void write_complex(std::string& out, std::complex<double> x);
// Non-printing characters are escaped, and on demand what is not ASCII, for text that may be anything.
void write_quoted(std::string& out, std::string_view text, char quote = '"', bool ascii = false);
bool read_bool(author::text_reader& in);
std::complex<double> read_complex(author::text_reader& in);

template <class T>
concept read_by_boxed_type = requires(author::text_reader& in) {
  { boxed_type<T>::read(in) } -> std::same_as<T>;
};
template <class T>
concept written_by_boxed_type = requires(std::string& out, const T& x) { boxed_type<T>::write(out, x); };

// The arithmetic types with a text of their own; characters of wide types have none.
template <class T>
concept number_type =
    std::floating_point<T> || (sizeof(T) <= 8 && requires(const char* text, T& x) { std::from_chars(text, text, x); });
template <class T>
inline constexpr bool is_text = std::same_as<T, std::string> || std::same_as<T, std::string_view>;

template <class T>
consteval bool can_write() {
  if constexpr (written_by_boxed_type<T> || std::same_as<T, bool> || number_type<T> || std::is_enum_v<T> ||
                is_text<T> || std::same_as<T, std::complex<double>>)
    return true;
  else if constexpr (is_optional<T>::value || is_list<T>::value)
    return can_write<std::remove_const_t<typename T::value_type>>();
  else
    return false;
}
// Views are not read: nothing would own what they refer to.
template <class T>
consteval bool can_read() {
  if constexpr (read_by_boxed_type<T> || std::same_as<T, bool> || number_type<T> || std::is_enum_v<T> ||
                std::same_as<T, std::string> || std::same_as<T, std::complex<double>>)
    return true;
  else if constexpr (is_optional<T>::value)
    return can_read<typename T::value_type>();
  else if constexpr (is_list<T>::value && requires(T all) { all.clear(); })
    return can_read<typename T::value_type>();
  else
    return false;
}

}  // namespace detail

namespace author {

/// A type that can be parsed from text.
export template <class T>
concept readable_text = detail::can_read<T>();

/// Appends x as text, for people and for read_text(). A type without a writer is written as `<type name>`.
export template <class T>
void write_text(std::string& out, const T& x) {
  if constexpr (detail::written_by_boxed_type<T>) {
    boxed_type<T>::write(out, x);
  } else if constexpr (std::same_as<T, bool>) {
    out += x ? "True" : "False";
  } else if constexpr (std::is_enum_v<T>) {
    write_text(out, static_cast<std::underlying_type_t<T>>(x));
  } else if constexpr (std::floating_point<T>) {
    detail::write_number(out, x);
  } else if constexpr (detail::number_type<T> && std::signed_integral<T>) {
    detail::write_integer(out, x);
  } else if constexpr (detail::number_type<T>) {
    detail::write_natural(out, x);
  } else if constexpr (std::same_as<T, std::complex<double>>) {
    detail::write_complex(out, x);
  } else if constexpr (detail::is_text<T>) {
    detail::write_quoted(out, x);
  } else if constexpr (detail::is_optional<T>::value) {
    if (x.has_value())
      write_text(out, *x);
    else
      out += "None";
  } else if constexpr (detail::is_list<T>::value) {
    out += '[';
    bool first = true;
    for (const std::remove_const_t<typename T::value_type>& y : x) {
      if (!std::exchange(first, false)) out += ", ";
      write_text(out, y);
    }
    out += ']';
  } else {
    out.append("<").append(detail::boxed_name<T>()).append(">");
  }
}

/// Reads a T; throws bad_argument. Enums are their number, whether there is an enumerator or not. A type's own read()
/// is made of these.
export template <readable_text T>
T read_text(text_reader& in) {
  if constexpr (detail::read_by_boxed_type<T>) {
    return boxed_type<T>::read(in);
  } else if constexpr (std::same_as<T, bool>) {
    return detail::read_bool(in);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(read_text<std::underlying_type_t<T>>(in));
  } else if constexpr (detail::number_type<T>) {
    return in.number<T>();
  } else if constexpr (std::same_as<T, std::complex<double>>) {
    return detail::read_complex(in);
  } else if constexpr (std::same_as<T, std::string>) {
    return in.string();
  } else if constexpr (detail::is_optional<T>::value) {
    if (in.take_word("None")) return std::nullopt;
    return T(read_text<typename T::value_type>(in));
  } else {
    T all;
    if (std::size_t n = in.take_lone_elements(); n != 0 && in.peek() != '[') {
      for (const std::size_t begin = in.column(); n != 0; --n) {
        in.go_to(begin);
        all.push_back(read_text<typename T::value_type>(in));
      }
      return all;
    }
    in.expect('[', "a list, '['");
    if (in.take(']')) return all;
    do all.push_back(read_text<typename T::value_type>(in));
    while (in.take(','));
    in.expect(']', "',' or ']'");
    return all;
  }
}

/// The whole of a text as a T; throws bad_argument.
export template <readable_text T>
T read_text(std::string_view text) {
  text_reader in(text);
  T x = read_text<T>(in);
  in.expect_end();
  return x;
}

}  // namespace author

}  // namespace topbit
