// The canonical text of a schema: one text for all ways to write it. What comes out is read back as the same schema.
export module topbit.core:schema.schema_print;

import topbit.std;
import :schema.literal;
import :schema.schema;
import :schema.signature;
import :text.characters;
import :text.decimal;
import :text.text;
import :text.text_sink;

namespace topbit {

namespace detail {

// Text inside a type made of types, without what white space and comments were in it.
constexpr void print_core(text_sink& out, std::string_view core) {
  for (const char* at = core.data(); at < core.data() + core.size();) {
    if (const char* next = skip_space(at); next != at) {
      at = next;
    } else if (*at == ',') {
      out += ", ";
      ++at;
    } else if (*at == '-') {
      out += " -> ";
      at += 2;
    } else {
      out += *at++;
    }
  }
}

// The names of alias sets in order, each once; '*' is all there is if it is one of them.
constexpr text_sink alias_sets(std::string_view text) {
  text_sink out;
  std::array<std::string_view, 16> names{};  // the parser takes no more
  std::size_t n = 0;
  if (text.empty()) return out;
  const char* const last = text.data() + text.size();
  for (const char* c = skip_space(text.data()); c < last; c = skip_space(c)) {
    if (*c == '*') {
      out += '*';
      return out;
    }
    if (!is_word(*c)) {
      ++c;
      continue;
    }
    const char* const begin = c;
    while (c < last && is_word(*c)) ++c;
    const std::string_view name(begin, static_cast<std::size_t>(c - begin));
    std::size_t at = 0;
    while (at < n && names[at] < name) ++at;
    if (at < n && names[at] == name) continue;
    for (std::size_t k = n++; k > at; --k) names[k] = names[k - 1];
    names[at] = name;
  }
  for (std::size_t i = 0; i < n; ++i) (out += i != 0 ? "|" : "") += names[i];
  return out;
}

// The code of one character of a string literal; moves on behind it.
constexpr char unescaped(const char*& at) {
  if (*at != '\\') return *at++;
  ++at;
  if (is_digit(*at)) {
    const int code = (at[0] - '0') * 64 + (at[1] - '0') * 8 + (at[2] - '0');
    at += 3;
    return static_cast<char>(code);
  }
  switch (*at++) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 't': return '\t';
    case 'v': return '\v';
    default: return at[-1];
  }
}

// Calls take(character) for what a string literal, quotes and all, stands for.
template <class Take>
constexpr void each_character(std::string_view literal, Take&& take) {
  const bool triple = literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0];
  const std::size_t quotes = triple ? 3 : 1;
  const char* const end = literal.data() + literal.size() - quotes;
  for (const char* at = literal.data() + quotes; at < end;) take(unescaped(at));
}

constexpr void print_string(text_sink& out, std::string_view literal) {
  out += '"';
  each_character(literal, [&](char c) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (const char* known = code >= 7 && code <= 12 ? "abtnvf" : nullptr) {
      (out += '\\') += known[code - 7];
    } else if (code < 32 || code > 126) {
      out += '\\';
      for (int shift = 6; shift >= 0; shift -= 3) out += static_cast<char>('0' + (code >> shift & 7));
    } else {
      out += c;
    }
  });
  out += '"';
}

constexpr void print_number(text_sink& out, std::string_view text, literal_kind kind) {
  const bool imaginary = text.ends_with('j');
  if (imaginary) text.remove_suffix(1);
  const bool floating = kind == literal_kind::real || kind == literal_kind::complex || imaginary ||
                        text.find_first_of(".eE") != std::string_view::npos;
  if (floating) {
    decimal(text).print(out);
  } else {
    const bool negative = text.starts_with('-');
    const std::size_t digits = text.find_first_not_of("-0");
    if (digits == std::string_view::npos)
      out += '0';
    else
      (out += negative ? "-" : "") += text.substr(digits);
  }
  if (imaginary) out += 'j';
}

// One literal and what is behind it: moves `at` on. The text has been accepted by the parser.
constexpr void print_value(text_sink& out, const char*& at, const char* end, literal_kind kind) {
  at = skip_space(at);
  const char* const begin = at;
  if (*at == '[') {
    out += '[';
    at = skip_space(at + 1);
    for (bool first = true; *at != ']'; first = false) {
      if (!first) out += ", ";
      print_value(out, at, end, kind);
      at = skip_space(at);
      if (*at == ',') at = skip_space(at + 1);
    }
    ++at;
    out += ']';
  } else if (*at == '"' || *at == '\'') {
    at = end_of_string(at);
    print_string(out, {begin, static_cast<std::size_t>(at - begin)});
  } else if (starts_word(*at) || (*at == '-' && starts_word(at[1]))) {
    do ++at;
    while (at != end && is_word(*at));
    out += std::string_view(begin, static_cast<std::size_t>(at - begin));
  } else {
    while (at != end && (is_word(*at) || *at == '.' || *at == '-' || *at == '+')) ++at;
    print_number(out, {begin, static_cast<std::size_t>(at - begin)}, kind);
  }
}

// Equal elements, as many as the list has, are written once, as in `int[2] stride=1`.
constexpr void print_default(text_sink& out, const author::schema_item& item) {
  const literal_kind kind = kind_of(item.type.data(), item.type.size());
  const char* at = item.default_text.data();
  const char* const end = at + item.default_text.size();
  if (*at == '[' && item.list_size > 0) {
    text_sink once;
    int count = 0;
    bool equal = true;
    const char* in = skip_space(at + 1);
    for (; *in != ']'; ++count) {
      text_sink element;
      print_value(element, in, end, kind);
      if (count == 0) once += element.view();
      equal = equal && element.view() == once.view();
      in = skip_space(in);
      if (*in == ',') in = skip_space(in + 1);
    }
    if (equal && count == item.list_size && once.view() != "None" && !once.view().starts_with('[')) {
      out += once.view();
      return;
    }
  }
  print_value(out, at, end, kind);
}

constexpr void print_size(text_sink& out, int n) {
  if (n >= 10) print_size(out, n / 10);
  out += static_cast<char>('0' + n % 10);
}

// The type with its annotations, `[]` and `?`.
constexpr void print_type(text_sink& out, const author::schema_item& item) {
  print_core(out, item.type);
  const text_sink before = alias_sets(item.alias), after = alias_sets(item.alias_after);
  if (before.view().empty()) {
    if (item.writes) out += '!';
  } else {
    ((out += '(') += before.view()) += item.writes ? "!" : "";
    if (!after.view().empty() && after.view() != before.view()) (out += " -> ") += after.view();
    out += ')';
  }
  std::size_t last = 0;
  for (std::size_t i = 0; i < item.modifiers.size(); ++i) {
    if (item.modifiers[i] == author::type_modifier::list) last = i;
  }
  for (std::size_t i = 0; i < item.modifiers.size(); ++i) {
    if (item.modifiers[i] == author::type_modifier::optional) out += '?';
    if (item.modifiers[i] != author::type_modifier::list) continue;
    out += '[';
    if (i == last && item.list_size > 0) print_size(out, item.list_size);
    out += ']';
    if (i == last && !item.list_alias.empty())
      (((out += '(') += alias_sets(item.list_alias).view()) += item.writes ? "!" : "") += ')';
  }
}

constexpr void print_item(text_sink& out, const author::schema_item& item) {
  print_type(out, item);
  if (!item.name.empty()) (out += ' ') += item.name;
  if (!item.has_default) return;
  out += '=';
  print_default(out, item);
}

constexpr void print_results(text_sink& out, const author::schema_view& s) {
  if (s.variadic_returns && s.returns.empty()) {
    out += "...";
    return;
  }
  if (s.returns.size() == 1 && !s.variadic_returns && s.returns[0].type[0] != '(') return print_item(out, s.returns[0]);
  out += '(';
  for (std::size_t i = 0; i < s.returns.size(); ++i) {
    if (i != 0) out += ", ";
    print_item(out, s.returns[i]);
  }
  out += s.variadic_returns ? ", ...)" : ")";
}

constexpr text_sink print(const author::schema_view& s) {
  text_sink out;
  if (!s.ns.empty()) (out += s.ns) += "::";
  out += s.name;
  if (!s.overload.empty()) (out += '.') += s.overload;
  out += '(';
  bool keyword_only = false;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    if (i != 0) out += ", ";
    if (s.arguments[i].keyword_only && !keyword_only) out += "*, ";
    keyword_only = s.arguments[i].keyword_only;
    print_item(out, s.arguments[i]);
  }
  if (s.variadic_arguments) out += s.arguments.empty() ? "..." : ", ...";
  out += ") -> ";
  print_results(out, s);
  return out;
}

template <fixed_string Text>
constexpr text_sink print_text() {
  return print(parts<Text>::view);
}

}  // namespace detail

/// The canonical text: parsing it gives an equal schema, and equal schemas have the same text.
export std::string to_string(const author::schema_view& s);

namespace author {

/// The same at compile time, as a fixed_string.
export template <fixed_string Text>
  requires detail::valid_text<Text>
inline constexpr auto canonical_schema = detail::fixed_text<&detail::print_text<Text>>();

export constexpr bool operator==(const schema_view& a, const schema_view& b) {
  return detail::print(a).view() == detail::print(b).view();
}

/// One thing in which two schemas differ: "argument 2 'n'", "default", "1", "2".
export struct schema_change {
  std::string where, what, first, second;
};

/// All things in which two schemas differ, in the order of their text; arguments and results are compared by place.
export std::vector<schema_change> differences(const schema_view& a, const schema_view& b);

}  // namespace author

/// "argument 2 'n': default 1 and 2"
export std::string to_string(const author::schema_change& c);

/// The first of them as a sentence; empty if the two are the same but for their names.
std::string difference(const author::schema_view& a, const author::schema_view& b);

}  // namespace topbit
