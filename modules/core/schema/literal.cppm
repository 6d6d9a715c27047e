// Literals of the schema language: which a type takes as its default, and what they are worth.
export module topbit.core:schema.literal;

import topbit.std;
import :keys.key;
import :keys.key_name;
import :text.characters;
import :text.decimal;

namespace topbit {

/// For authors of operator libraries and backends.
export namespace author {

/// A device as text, "cuda:1", taken apart: what schemas and programs write.
struct device_text {
  std::string_view name;
  int index = 0;  // 0 where there is none, -1 where it is none that a device can have

  constexpr explicit device_text(std::string_view text) noexcept : name(text.substr(0, text.find(':'))) {
    if (name.size() == text.size()) return;
    const std::string_view digits = text.substr(name.size() + 1);
    if (digits.empty()) index = -1;
    for (char c : digits) {
      if (index >= 0) index = c >= '0' && c <= '9' ? index * 10 + (c - '0') : -1;
      if (index > 127) index = -1;
    }
  }
  /// The index is one that a device of this type can have: CPU and Meta are one device each.
  constexpr bool may_be(backend type) const noexcept {
    return index == 0 || (index > 0 && type != backend::CPU && type != backend::Meta);
  }
  /// The device type in a schema; none where this is no device. Backends go by their own names there, in lower case:
  /// the compiler reads schemas before anybody gives another.
  constexpr backend type() const noexcept {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    for (std::size_t b = 1; b < detail::backend_names.size(); ++b) {
      const std::string_view own = detail::backend_names[b];
      bool is_it = own.size() == name.size();
      for (std::size_t i = 0; is_it && i < own.size(); ++i) is_it = lower(own[i]) == name[i];
      if (is_it) return may_be(static_cast<backend>(b)) ? static_cast<backend>(b) : backend::none;
    }
    return backend::none;
  }
};

}  // namespace author

namespace detail {

// What a schema type takes for a default, apart from lists and None, which its modifiers say.
enum class literal_kind : std::uint8_t {
  any,     // a type of the user's: whatever is well formed
  none,    // nothing
  absent,  // None alone: an undefined tensor
  integer,
  reduction,  // integer, or Mean
  real,
  complex,
  boolean,
  number,  // Scalar: integer, real, complex or boolean
  string,
  device,  // the name of one, such as "cuda:0"
  dtype,   // words
  layout,
  memory_format
};

// By length first, and without tables: the compiler's evaluator would build them anew for each call.
constexpr literal_kind kind_of(const char* type, std::size_t size) noexcept {
  using enum literal_kind;
  switch (size) {
    case 3: return same(type, "int", 3) ? reduction : same(type, "str", 3) ? string : same(type, "Any", 3) ? none : any;
    case 4: return same(type, "bool", 4) ? boolean : any;
    case 5: return same(type, "float", 5) ? real : any;
    case 6:
      if (same(type, "Scalar", 6)) return number;
      if (same(type, "Device", 6)) return device;
      if (same(type, "Layout", 6)) return layout;
      if (same(type, "SymInt", 6)) return integer;
      return same(type, "Tensor", 6) ? absent : same(type, "Stream", 6) ? none : any;
    case 7:
      if (same(type, "complex", 7)) return complex;
      if (same(type, "SymBool", 7)) return boolean;
      return same(type, "Storage", 7) || same(type, "Capsule", 7) || same(type, "QScheme", 7) ||
                     same(type, "Dimname", 7)
                 ? none
                 : any;
    case 9: return same(type, "Generator", 9) || same(type, "Quantizer", 9) ? absent : any;
    case 10: return same(type, "ScalarType", 10) ? dtype : any;
    case 11: return same(type, "DeviceIndex", 11) ? integer : any;
    case 12: return same(type, "MemoryFormat", 12) ? memory_format : same(type, "AnyClassType", 12) ? none : any;
    case 17: return same(type, "ConstQuantizerPtr", 17) ? none : any;
    default: return any;
  }
}

// The schema word for a C++ type name; null if there is none.
constexpr const char* instead_of(const char* word, std::size_t size) noexcept {
  const std::string_view text(word, size);
  switch (*word) {
    case 'd': return text == "double" ? "'float', the schema's name of a double" : nullptr;
    case 'i': return text == "int64_t" || text == "int32_t" ? "'int', the schema's name of an int64_t" : nullptr;
    case 'l': return text == "long" ? "'int', the schema's name of an int64_t" : nullptr;
    case 's':
      if (text == "string" || text == "std::string" || text == "string_view" || text == "std::string_view")
        return "'str', the schema's name of a string";
      return text == "size_t" || text == "std::size_t" || text == "std::int64_t"
                 ? "'int', the schema's name of an int64_t"
                 : nullptr;
    case 'v': return text == "void" ? "'()', a schema's word for no result" : nullptr;
    default: return nullptr;
  }
}

constexpr bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
  for (std::string_view w : words) {
    if (w == word) return true;
  }
  return false;
}

// Behind a string, quotes and all, that has been accepted.
constexpr const char* end_of_string(const char* at) noexcept {
  const char quote = *at;
  const bool triple = at[1] == quote && at[2] == quote;
  at += triple ? 3 : 1;
  while (*at != quote || (triple && (at[1] != quote || at[2] != quote))) at += *at == '\\' ? 2 : 1;
  return at + (triple ? 3 : 1);
}

// Reads one default and says what was expected where it is none.
struct literal_reader {
  const char* at;
  const char* end;
  const char* expected = nullptr;

  // `modifiers` as in a type_key; `sized`: the outermost list has a size, so one value stands for all of its elements.
  constexpr void read(literal_kind kind, unsigned modifiers, bool sized) noexcept {
    int level = 0;
    while (level < 4 && (modifiers >> (2 * level) & 3) != 0) ++level;
    value(kind, modifiers, level, sized);
  }

 private:
  constexpr void value(literal_kind kind, unsigned modifiers, int level, bool sized) noexcept {
    at = skip_space(at);
    if (level == 0) return constant(kind);
    const bool optional = (modifiers >> (2 * (level - 1)) & 3) == 2;
    if (optional) {
      if (take_word("None")) return;
      return value(kind, modifiers, level - 1, sized);
    }
    if (*at != '[') {
      if (sized) return value(kind, modifiers, level - 1, false);
      return fail("'[', since the type is a list");
    }
    ++at;
    at = skip_space(at);
    if (*at == ']') {
      ++at;
      return;
    }
    do {
      value(kind, modifiers, level - 1, false);
      at = skip_space(at);
    } while (expected == nullptr && *at == ',' && ++at);
    close();
  }

  constexpr void constant(literal_kind kind, int depth = 0) noexcept {
    using enum literal_kind;
    switch (kind) {
      case any: return anything(depth);
      case none: return fail("no default, which this type cannot have");
      case absent: return take_word("None") ? void() : fail("'None', the only default of this type");
      case reduction: return take_word("Mean") ? void() : integer_literal("an integer or 'Mean'");
      case integer: return integer_literal("an integer");
      case real: return real_literal("a number");
      case complex: return real_literal("a number", true);
      case boolean: return take_word("True") || take_word("False") ? void() : fail("'True' or 'False'");
      case number:
        return take_word("True") || take_word("False") ? void() : real_literal("a number, 'True' or 'False'", true);
      case string: return string_literal("a string in quotes");
      case device: return device_literal();
      case dtype:
        return one_of(
            "a dtype such as 'float32' or 'long'",
            {"uint8", "int8",      "int16",     "int32",      "int64",  "float16", "bfloat16", "float32", "float64",
             "bool",  "complex32", "complex64", "complex128", "byte",   "char",    "short",    "int",     "long",
             "half",  "float",     "double",    "chalf",      "cfloat", "cdouble", "complex"});
      case layout:
        return one_of("a layout such as 'strided'", {"strided", "sparse", "sparse_coo", "sparse_csr", "sparse_csc",
                                                     "sparse_bsr", "sparse_bsc", "_mkldnn", "jagged"});
      case memory_format:
        return one_of("'contiguous_format' or 'preserve_format'", {"contiguous_format", "preserve_format"});
    }
  }

  constexpr void anything(int depth) noexcept {
    if (depth > 8) return fail("fewer '['");
    if (*at == '"' || *at == '\'') return string_literal("a string in quotes");
    if (starts_word(*at)) {
      while (is_word(*at)) ++at;
    } else if (*at == '[') {
      ++at;
      at = skip_space(at);
      if (*at == ']') {
        ++at;
        return;
      }
      do {
        at = skip_space(at);
        anything(depth + 1);
        at = skip_space(at);
      } while (expected == nullptr && *at == ',' && ++at);
      close();
    } else {
      real_literal("a default value", true);
    }
  }

  // Digits of a number that 64 bits hold.
  constexpr void integer_literal(const char* wanted) noexcept {
    const char* const begin = at;
    const bool negative = *at == '-';
    if (negative) ++at;
    if (!is_digit(*at)) return fail_at(begin, wanted);
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t magnitude = 0;
    while (is_digit(*at)) {
      const auto digit = static_cast<std::uint64_t>(*at++ - '0');
      if (magnitude > (most + negative - digit) / 10) return fail_at(begin, "a 64-bit integer");
      magnitude = magnitude * 10 + digit;
    }
    if (*at == '.' || is_word(*at)) fail_at(begin, wanted);
  }

  // -1, 2.5, 1., .5, 1e-05, inf; with a j behind it where complex numbers are welcome.
  constexpr void real_literal(const char* wanted, bool complex = false) noexcept {
    const char* const begin = at;
    if (*at == '-') ++at;
    if (take_word("inf") || (*begin != '-' && take_word("nan"))) return;
    const char* const digits = at;
    const char* point = nullptr;
    while (is_digit(*at) || (*at == '.' && point == nullptr)) {
      if (*at == '.') point = at;
      ++at;
    }
    if (at - digits == (point != nullptr ? 1 : 0)) return fail_at(begin, wanted);
    if (at - digits > 400) return fail_at(begin, "a number of at most 400 digits");
    bool whole = point == nullptr;
    if (*at == 'e' || *at == 'E') {
      whole = false;
      ++at;
      if (*at == '-' || *at == '+') ++at;
      if (!is_digit(*at)) return fail("a digit of the exponent");
      while (*at == '0') ++at;
      const char* const exponent = at;
      while (is_digit(*at)) ++at;
      if (at - exponent > 3) return fail_at(begin, "zero, or a number from 1e-307 to below 1e308");
    }
    const char* const last = at;
    if (complex && *at == 'j') ++at;
    if (is_word(*at) || *at == '.') return fail_at(begin, wanted);
    if (whole && complex) {
      // An integer as a Scalar is one, so it has to fit.
      literal_reader again{begin, last};
      if (last - digits > 18) again.integer_literal(wanted);
      if (again.expected != nullptr) return fail_at(begin, again.expected);
    }
    if (!decimal({begin, static_cast<std::size_t>(last - begin)}).is_double())
      fail_at(begin, "zero, or a number from 1e-307 to below 1e308");
  }

  constexpr void string_literal(const char* wanted) noexcept {
    const char quote = *at;
    if (quote != '"' && quote != '\'') return fail(wanted);
    const bool triple = at[1] == quote && at[2] == quote;
    at += triple ? 3 : 1;
    while (at != end && *at != '\0') {
      if (*at == quote && (!triple || (at[1] == quote && at[2] == quote))) {
        at += triple ? 3 : 1;
        return;
      }
      if (*at == '\n' && !triple) break;
      if (*at++ != '\\') continue;
      const bool octal = *at >= '0' && *at <= '3' && at[1] >= '0' && at[1] <= '7' && at[2] >= '0' && at[2] <= '7';
      if (octal && !(at[0] == '0' && at[1] == '0' && at[2] == '0')) {
        at += 3;
      } else if (find_character("\\'\"abfnvt", 9, *at) != nullptr) {
        ++at;
      } else {
        return fail_at(at - 1, "one of the escapes \\\\ \\' \\\" \\a \\b \\f \\n \\v \\t \\001..\\377");
      }
    }
    fail("the closing quote");
  }

  constexpr void device_literal() noexcept {
    constexpr const char* wanted = "the name of a device in quotes, such as \"cuda:0\"";
    const char* const begin = at;
    string_literal(wanted);
    if (expected != nullptr) return;
    const author::device_text device({begin + 1, static_cast<std::size_t>(at - begin) - 2});
    if (device.type() == backend::none) fail_at(begin, wanted);
  }

  constexpr void one_of(const char* wanted, std::initializer_list<std::string_view> words) noexcept {
    const char* const begin = at;
    while (is_word(*at)) ++at;
    if (!is_one_of({begin, static_cast<std::size_t>(at - begin)}, words)) fail_at(begin, wanted);
  }
  constexpr bool take_word(std::string_view word) noexcept {
    if (static_cast<std::size_t>(end - at) < word.size() || !same(at, word.data(), word.size())) return false;
    if (is_word(at[word.size()])) return false;
    at += word.size();
    return true;
  }
  constexpr void close() noexcept {
    if (expected != nullptr) return;
    if (*at != ']') return fail("',' or ']'");
    ++at;
  }
  constexpr void fail(const char* wanted) noexcept { fail_at(at, wanted); }
  constexpr void fail_at(const char* where, const char* wanted) noexcept {
    if (expected != nullptr) return;
    expected = wanted;
    at = where;
  }
};

}  // namespace detail

}  // namespace topbit
