// The types of a C++ signature as data, and the schema inferred from them where none is given.
export module topbit.core:schema.signature_types;

import topbit.std;
import :schema.literal;
import :schema.signature;
import :text.characters;
import :text.text;
import :text.text_sink;

namespace topbit {

namespace author {

/// The schema word for a C++ type of yours, the inverse of schema_type: `static constexpr
/// std::string_view value`. Specialise it in your purview; a type without one goes by its C++ name.
export template <class T>
struct schema_word;

template <>
struct schema_word<std::int64_t> {
  static constexpr std::string_view value = "int";
};
template <>
struct schema_word<double> {
  static constexpr std::string_view value = "float";
};
template <>
struct schema_word<bool> {
  static constexpr std::string_view value = "bool";
};
template <>
struct schema_word<std::complex<double>> {
  static constexpr std::string_view value = "complex";
};
template <>
struct schema_word<std::string_view> {
  static constexpr std::string_view value = "str";
};
template <>
struct schema_word<std::string> {
  static constexpr std::string_view value = "str";
};
// Not to be taken for the schema's own int and float, which have 64 bits.
template <>
struct schema_word<float> {
  static constexpr std::string_view value = "float32";
};
template <>
struct schema_word<std::int32_t> {
  static constexpr std::string_view value = "int32";
};
template <>
struct schema_word<std::int16_t> {
  static constexpr std::string_view value = "int16";
};
template <>
struct schema_word<std::int8_t> {
  static constexpr std::string_view value = "int8";
};
template <>
struct schema_word<std::uint64_t> {
  static constexpr std::string_view value = "uint64";
};
template <>
struct schema_word<std::uint32_t> {
  static constexpr std::string_view value = "uint32";
};
template <>
struct schema_word<std::uint16_t> {
  static constexpr std::string_view value = "uint16";
};
template <>
struct schema_word<std::uint8_t> {
  static constexpr std::string_view value = "uint8";
};

}  // namespace author

namespace detail {

// The word for a type and what follows it, innermost first.
struct worded_type {
  std::string_view word;       // empty: its C++ name is all there is
  std::string_view raw;        // of the type the word is for
  std::string_view modifiers;  // "?" for an optional, "[" for a list
};

template <class T, char... M>
struct worded {
  static constexpr char modifiers[] = {M..., '\0'};
  static consteval std::string_view word() {
    if constexpr (requires { author::schema_word<T>::value; })
      return author::schema_word<T>::value;
    else
      return {};
  }
  static constexpr worded_type value{word(), raw_type_name<T>(), {modifiers, sizeof...(M)}};
};
template <class T, char... M>
struct worded<std::optional<T>, M...> : worded<T, '?', M...> {};
template <class T, char... M>
struct worded<std::span<const T>, M...> : worded<T, '[', M...> {};
template <class T, char... M>
struct worded<std::vector<T>, M...> : worded<T, '[', M...> {};
template <char... M>
struct worded<void, M...> {
  static constexpr worded_type value{};
};

// A type by its raw name, which is equal for equal types. The name for people is made when a sentence needs it.
struct named_type {
  std::string_view raw;
  worded_type word;
  bool writes = false;  // a reference that is not const
  constexpr name_buffer people() const noexcept { return for_people(raw); }
};
template <class T>
inline constexpr named_type named{raw_type_name<T>(), worded<std::remove_cvref_t<T>>::value,
                                  std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>};

struct signature_types {
  named_type result;
  std::span<const named_type> arguments;
  std::span<const named_type> results;  // what a tuple holds; the result itself, or none
};

template <class R>
struct result_list {
  static constexpr std::array<named_type, 1> all{named<R>};
};
template <>
struct result_list<void> {
  static constexpr std::array<named_type, 0> all{};
};
template <class... R>
struct result_list<std::tuple<R...>> {
  static constexpr std::array<named_type, sizeof...(R)> all{named<R>...};
};

template <class Sig>
struct types_of;
template <class R, class... A>
struct types_of<R(A...)> {
  static constexpr std::array<named_type, sizeof...(A)> arguments{named<A>...};
  static constexpr auto& results = result_list<R>::all;
  static constexpr signature_types value{named<R>, {arguments.data(), sizeof...(A)}, {results.data(), results.size()}};
};

// The alias set that a written argument is in: a, b, ..., z, a1, b1, ...
constexpr void print_alias(text_sink& out, const signature_types& types, std::size_t argument) {
  int n = 0;
  for (std::size_t i = 0; i < argument; ++i) n += types.arguments[i].writes ? 1 : 0;
  out += static_cast<char>('a' + n % 26);
  if (n >= 26) out += static_cast<char>('0' + n / 26);
}

// A C++ name as a word of the schema language: what is no part of a name becomes '_', and a word that would be taken
// for a mistake gets one behind it.
constexpr void print_word(text_sink& out, const worded_type& type) {
  if (!type.word.empty()) {
    out += type.word;
    return;
  }
  const name_buffer name = for_people(type.raw);
  text_sink word;
  bool gap = false;
  for (std::size_t i = 0; i < name.size; ++i) {
    const char c = name.text[i];
    if (c == ':' && i + 2 < name.size && name.text[i + 1] == ':' && starts_word(name.text[i + 2])) {
      if (!word.view().empty()) word += "::";
      gap = false;
      ++i;
      continue;
    }
    if (c == '*') word += "_ptr";
    if (!is_word(c)) {
      gap = true;
      continue;
    }
    if (gap && !word.view().empty()) word += '_';
    gap = false;
    word += c;
  }
  out += word.view();
  if (word.view().empty() || instead_of(word.view().data(), word.view().size()) != nullptr) out += '_';
}

constexpr void print_modifiers(text_sink& out, const worded_type& type) {
  for (char c : type.modifiers) out += c == '?' ? "?" : "[]";
}

// A result that is a reference is one of the written arguments of its type: the one of its place among such results,
// or, where there are more of them than results, any.
constexpr void print_result(text_sink& out, const signature_types& types, std::size_t result) {
  const named_type& type = types.results[result];
  print_word(out, type.word);
  if (type.writes) {
    std::size_t same_results = 0, place = 0, candidates = 0;
    for (std::size_t i = 0; i < types.results.size(); ++i) {
      if (types.results[i].raw != type.raw) continue;
      if (i < result) ++place;
      ++same_results;
    }
    for (const named_type& a : types.arguments) candidates += a.raw == type.raw ? 1 : 0;
    std::size_t nth = 0;
    bool first = true;
    for (std::size_t i = 0; i < types.arguments.size(); ++i) {
      if (types.arguments[i].raw != type.raw) continue;
      if (candidates != same_results || nth == place) {
        out += first ? '(' : '|';
        print_alias(out, types, i);
        first = false;
      }
      ++nth;
    }
    out += first ? "!" : "!)";
  }
  print_modifiers(out, type.word);
}

// The name of what has none.
constexpr void print_place(text_sink& out, std::size_t i) {
  out += " _";
  if (i >= 10) out += static_cast<char>('0' + i / 10);
  out += static_cast<char>('0' + i % 10);
}

constexpr text_sink print_inferred(std::string_view name, const signature_types& types) {
  text_sink out;
  (out += name) += '(';
  for (std::size_t i = 0; i < types.arguments.size(); ++i) {
    const named_type& type = types.arguments[i];
    if (i != 0) out += ", ";
    print_word(out, type.word);
    if (type.writes) {
      out += '(';
      print_alias(out, types, i);
      out += "!)";
    }
    print_modifiers(out, type.word);
    print_place(out, i);
  }
  out += ") -> ";
  const std::size_t n = types.results.size();
  if (n != 1) out += '(';
  for (std::size_t i = 0; i < n; ++i) {
    if (i != 0) out += ", ";
    print_result(out, types, i);
    if (n != 1) print_place(out, i);
  }
  if (n != 1) out += ')';
  return out;
}
std::string infer_schema(std::string_view name, const signature_types& types);

template <fixed_string Name, class Sig>
constexpr text_sink infer_text() {
  return print_inferred(Name.view(), types_of<Sig>::value);
}

}  // namespace detail

namespace author {

/// The schema that a C++ signature stands for: `inferred_schema<"ns::f", double(const tensor&, tensor&)>` is
/// "ns::f(Tensor _0, Tensor(a!) _1) -> float". Arguments have no names, so they are called by their places, and so are
/// several results; what a kernel may write is what it takes by reference, and a result that is a reference is such an
/// argument.
export template <fixed_string Name, class Sig>
inline constexpr auto inferred_schema = detail::fixed_text<&detail::infer_text<Name, Sig>>();

}  // namespace author

}  // namespace topbit
