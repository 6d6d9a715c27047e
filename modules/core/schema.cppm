// The schema language: one parser for compile time and run time.
//
//   ns::name.overload(Tensor self, Tensor(a!) out, int[2] size, *, Scalar alpha=1, Device? device=None) -> Tensor
//
// The parser writes into arrays the caller owns and keeps views into the text, so the same code runs in a constant
// expression and over text read from a file. A mistake is a column, counted from 1, and what was expected there.
export module topbit.core:schema;

import topbit.std;

namespace topbit {

/// What follows a core type: `[]` or `?`, innermost first.
export enum class type_modifier : std::uint8_t { none, list, optional };

/// One argument or result of a schema. The views point into the schema's text.
export struct schema_item {
  std::string_view type;  // the core name: "Tensor", "int"
  std::string_view name;
  std::string_view default_text;
  std::string_view alias;  // between the parentheses, without the '!'
  std::array<type_modifier, 4> modifiers{};
  std::size_t column = 0;
  int list_size = -1;  // N of `T[N]`
  bool writes = false;
  bool keyword_only = false;
  bool has_default = false;
};

/// A parsed schema that does not own its parts.
export struct schema_view {
  std::string_view ns, name, overload;
  std::span<const schema_item> arguments, returns;
};

export struct schema_mistake {
  std::size_t column = 0;  // 0: none
  std::string_view expected;
  constexpr bool ok() const noexcept { return column == 0; }
};

export inline constexpr std::size_t max_schema_arguments = 64;

namespace detail {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr bool is_identifier(std::string_view text) noexcept {
  bool good = !text.empty() && !is_digit(text.front());
  for (char c : text) good = good && (is_letter(c) || is_digit(c));
  return good;
}

class schema_parser {
 public:
  struct counts {
    std::size_t arguments = 0, returns = 0;
    bool has_signature = false;
  };

  // Null arrays only count. Otherwise they hold as many items as an earlier, counting parse of this text found.
  constexpr schema_parser(std::string_view text, schema_item* arguments, schema_item* returns) noexcept
      : text_(text), arguments_(arguments), returns_(returns) {}

  constexpr schema_mistake parse(schema_view& out) {
    out.name = word("an operator name");
    if (take(':')) {
      expect(':', "'::'");
      out.ns = out.name;
      out.name = word("an operator name after '::'");
    }
    if (take('.')) out.overload = overload();
    if (!mistake_.ok() || (space(), at_ == text_.size())) return mistake_;
    counts_.has_signature = true;
    expect('(', "'(' or the end");
    parse_arguments();
    expect('-', "'->'");
    if (peek() == '>')
      ++at_;
    else
      fail("'->'");
    parse_returns();
    space();
    if (at_ != text_.size()) fail("the end of the schema");
    return mistake_;
  }
  constexpr const counts& found() const noexcept { return counts_; }

 private:
  // 'default' is what an operator without an overload is called elsewhere; a leading '__' would clash with what Python
  // keeps for itself where operators are its attributes.
  constexpr std::string_view overload() {
    space();
    const std::size_t begin = at_;
    const std::string_view name = word("an overload name after '.'");
    const bool reserved = name.starts_with("__");
    if (name == "default" || reserved) {
      at_ = begin;
      fail(reserved ? "an overload name that does not begin with '__'" : "an overload name other than 'default'");
    }
    return name;
  }
  constexpr void parse_arguments() {
    bool keyword_only = false, defaults = false;
    if (take(')')) return;
    do {
      if (take('*')) {
        if (keyword_only) fail("no second '*'");
        keyword_only = true;
        continue;
      }
      schema_item item = type();
      item.keyword_only = keyword_only;
      space();
      const std::size_t name_at = at_;
      item.name = word("an argument name");
      if (take('=')) {
        item.has_default = defaults = true;
        item.default_text = literal();
      } else if (defaults && !keyword_only) {
        at_ = name_at;
        fail("a default, since an argument before this one has one");
      }
      if (counts_.arguments == max_schema_arguments) fail("at most 64 arguments");
      if (!mistake_.ok()) return;
      if (arguments_ != nullptr) {
        for (std::size_t i = 0; i < counts_.arguments; ++i) {
          if (arguments_[i].name == item.name) {
            at_ = name_at;
            return fail("a name no other argument has");
          }
        }
        arguments_[counts_.arguments] = item;
      }
      ++counts_.arguments;
    } while (mistake_.ok() && take(','));
    expect(')', "',' or ')'");
  }

  constexpr void parse_returns() {
    if (!take('(')) return add_return();
    if (take(')')) return;
    do add_return();
    while (mistake_.ok() && take(','));
    expect(')', "',' or ')'");
  }
  constexpr void add_return() {
    schema_item item = type();
    space();
    if (is_letter(peek())) item.name = word("a name");
    if (counts_.returns == max_schema_arguments) fail("at most 64 results");
    if (!mistake_.ok()) return;
    if (returns_ != nullptr) returns_[counts_.returns] = item;
    ++counts_.returns;
  }

  constexpr schema_item type() {
    schema_item item;
    space();
    item.column = at_ + 1;
    item.type = word("a type");
    if (peek() == '(') {
      ++at_;
      const std::size_t begin = at_;
      while (peek() != 0 && peek() != ')' && peek() != '!') ++at_;
      item.alias = text_.substr(begin, at_ - begin);
      if (item.alias.empty()) fail("an alias set");
      item.writes = take('!');
      expect(')', "')' after the alias set");
    }
    for (std::size_t n = 0; mistake_.ok(); ++n) {
      const char c = peek();
      if (c != '[' && c != '?') break;
      if (n == item.modifiers.size()) fail("fewer '[]' and '?'");
      if (!mistake_.ok()) break;
      ++at_;
      item.modifiers[n] = c == '?' ? type_modifier::optional : type_modifier::list;
      if (c == '?') continue;
      if (is_digit(peek())) {
        item.list_size = 0;
        while (is_digit(peek()) && item.list_size < 100'000)
          item.list_size = item.list_size * 10 + (text_[at_++] - '0');
      }
      expect(']', "']' or a list size");
    }
    return item;
  }

  // A default: a number, a word, a quoted string, or a bracketed list of these. Lists nest as deep as types do.
  constexpr std::string_view literal(std::size_t depth = 0) {
    space();
    const std::size_t begin = at_;
    if (depth > std::tuple_size_v<decltype(schema_item::modifiers)>) {
      fail("fewer '['");
    } else if (take('[')) {
      if (!take(']')) {
        do literal(depth + 1);
        while (mistake_.ok() && take(','));
        expect(']', "',' or ']'");
      }
    } else if (peek() == '"' || peek() == '\'') {
      const char quote = text_[at_++];
      while (peek() != 0 && peek() != quote) at_ += peek() == '\\' && at_ + 1 < text_.size() ? 2 : 1;
      if (peek() == quote)
        ++at_;
      else
        fail("the closing quote");
    } else if (peek() == '-' || is_digit(peek())) {
      number();
    } else {
      word("a default value");
    }
    return text_.substr(begin, at_ - begin);
  }

  // -1, 2.5, 1e-05
  constexpr void number() {
    if (peek() == '-') ++at_;
    digits();
    if (peek() == '.') ++at_;
    while (is_digit(peek())) ++at_;
    if (peek() != 'e') return;
    ++at_;
    if (peek() == '-' || peek() == '+') ++at_;
    digits();
  }
  constexpr void digits() {
    if (!is_digit(peek())) fail("a digit");
    while (is_digit(peek())) ++at_;
  }

  constexpr std::string_view word(std::string_view expected) {
    space();
    if (!is_letter(peek())) {
      fail(expected);
      return {};
    }
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  constexpr char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  constexpr void space() noexcept {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n') ++at_;
  }
  constexpr bool take(char c) noexcept {
    space();
    if (peek() != c || !mistake_.ok()) return false;
    ++at_;
    return true;
  }
  constexpr void expect(char c, std::string_view expected) {
    if (!take(c)) fail(expected);
  }
  // The first mistake counts; what follows it is noise.
  constexpr void fail(std::string_view expected) noexcept {
    if (mistake_.ok()) mistake_ = {at_ + 1, expected};
  }

  std::string_view text_;
  schema_item* arguments_;
  schema_item* returns_;
  std::size_t at_ = 0;
  counts counts_;
  schema_mistake mistake_;
};

}  // namespace detail

/// A schema that owns its text; made at run time.
export class schema {
 public:
  /// Throws bad_schema with the column and what was expected there.
  explicit schema(std::string_view text);
  schema(const schema& other) : schema(other.text_) {}
  schema& operator=(const schema&) = delete;
  const schema_view& view() const noexcept { return view_; }

 private:
  std::string text_;
  std::vector<schema_item> arguments_, returns_;
  schema_view view_;
};

/// The canonical text: parsing it gives the same schema again.
export std::string to_string(const schema_view& s);

/// The first thing in which two schemas of one operator differ, as a sentence: "argument 2 is 'int n' and 'float n'".
/// Empty if they are the same.
std::string difference(const schema_view& a, const schema_view& b);

/// "ns::name.overload", or without what is empty.
export std::string qualified_name(const schema_view& s);

}  // namespace topbit
