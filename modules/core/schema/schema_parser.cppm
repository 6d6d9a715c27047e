// The schema language: one parser for compile time and run time.
//
// It writes positions into arrays the caller owns, so the same code runs in a constant expression, where it is most of
// what declaring an operator costs, and over text read from a file. That is why it is written for the compiler's
// evaluator: pointers, one table of characters, no objects that are built only to be thrown away. A mistake is a
// column, counted from 1, and what was expected there; the first one ends the parse.
export module topbit.core:schema.schema_parser;

import topbit.std;
import :schema.literal;
import :text.characters;

namespace topbit {

namespace author {

export inline constexpr std::size_t max_schema_arguments = 64;
export inline constexpr std::size_t max_schema_text = 65'000;

}  // namespace author

namespace detail {

// A part of a schema's text.
struct piece {
  std::uint16_t begin = 0, size = 0;
};

// What the C++ type of an item follows from. A template argument, so that one instantiation serves all items of one
// type in all schemas.
struct type_key {
  char core[24]{};             // empty if the core is longer, or made of other types
  std::uint8_t modifiers = 0;  // two bits each, innermost lowest: type_modifier
  bool writes = false;

  friend constexpr bool operator==(const type_key&, const type_key&) = default;
};

struct item_code {
  piece type, name, literal, alias, alias_after, list_alias;
  std::int32_t list_size = -1;
  bool keyword_only = false;
  bool made_of_types = false;  // a tuple, Dict(...), ...
  type_key key;
};

struct schema_head {
  piece ns, name, overload;
  std::uint8_t arguments = 0, returns = 0;
  bool has_signature = false, variadic_arguments = false, variadic_returns = false;
  bool simple = true;        // every item's type has a key
  std::uint16_t column = 0;  // of a mistake, from 1
  const char* expected = nullptr;
};

// As many items as a text can have at most.
constexpr std::size_t most_items(std::string_view text) noexcept {
  std::size_t n = 2;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && (at = find_character(at, static_cast<std::size_t>(end - at), ',')) != nullptr) ++n, ++at;
  return n;
}

class schema_parser {
 public:
  // The text ends with a zero which it does not count. There are most_items() of the items.
  constexpr schema_parser(std::string_view text, item_code* items) noexcept
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), items_(items) {}

  constexpr schema_head parse() noexcept {
    if (static_cast<std::size_t>(end_ - begin_) > author::max_schema_text) {
      fail("a shorter text, of at most 65000 characters");
      return head_;
    }
    name();
    space();
    if (at_ == end_) return head_;
    head_.has_signature = true;
    expect('(', "'(' or the end");
    arguments();
    space();
    if (*at_ == '-' && at_[1] == '>')
      at_ += 2;
    else
      fail("'->'");
    returns();
    space();
    if (at_ != end_) fail("the end of the schema");
    return head_;
  }

 private:
  constexpr void name() noexcept {
    head_.name = word("an operator name");
    if (take(':')) {
      expect(':', "'::'");
      head_.ns = head_.name;
      head_.name = word("an operator name after '::'");
    }
    if (!take('.')) return;
    space();
    const char* const begin = at_;
    head_.overload = word("an overload name after '.'");
    // 'default' is what an operator without an overload is called elsewhere; a leading '__' would clash with what
    // Python keeps for itself where operators are its attributes.
    if (at_ - begin == 7 && same(begin, "default", 7)) fail_at(begin, "an overload name other than 'default'");
    if (begin[0] == '_' && begin[1] == '_') fail_at(begin, "an overload name that does not begin with '__'");
  }

  constexpr void arguments() noexcept {
    bool keyword_only = false, defaults = false;
    if (take(')')) return;
    do {
      space();
      if (*at_ == '*') {
        if (keyword_only) return fail("no second '*'");
        keyword_only = true;
        ++at_;
        space();
        if (*at_ != ',') fail("',' and a keyword-only argument after '*'");
        continue;
      }
      if (*at_ == '.') {
        dots();
        if (defaults) return fail_at(at_ - 3, "no '...', since an argument has a default");
        head_.variadic_arguments = true;
        expect(')', "')' after '...'");
        return;
      }
      if (head_.arguments == author::max_schema_arguments) return fail("at most 64 arguments");
      item_code& item = items_[head_.arguments];
      type(item);
      item.keyword_only = keyword_only;
      space();
      const char* const name_at = at_;
      item.name = word_here("an argument name");
      for (std::size_t i = 0; i < head_.arguments; ++i) {
        const piece other = items_[i].name;
        if (other.size == item.name.size && same(begin_ + other.begin, name_at, other.size))
          fail_at(name_at, "a name that no other argument has");
      }
      if (take('=')) {
        defaults = true;
        literal(item);
      } else if (defaults && !keyword_only && !is_list(item.key.modifiers)) {
        fail_at(name_at, "a default, since an argument before this one has one");
      }
      ++head_.arguments;
    } while (take(','));
    expect(')', "',' or ')'");
  }

  // PyTorch's schemas have lists without a default behind arguments with one.
  static constexpr bool is_list(unsigned modifiers) noexcept {
    while (modifiers > 3) modifiers >>= 2;
    return modifiers == 1;
  }

  constexpr void returns() noexcept {
    space();
    // A '(' opens a list of results, of which one may be a tuple.
    if (*at_ != '(') return *at_ == '.' ? variadic_returns() : result();
    ++at_;
    if (take(')')) return;
    do {
      space();
      if (*at_ == '.') {
        variadic_returns();
        break;
      }
      result();
    } while (take(','));
    expect(')', "',' or ')'");
  }
  constexpr void variadic_returns() noexcept {
    dots();
    head_.variadic_returns = true;
  }
  constexpr void result() noexcept {
    if (head_.returns == author::max_schema_arguments) return fail("at most 64 results");
    item_code& item = items_[head_.arguments + head_.returns];
    const char* const begin = at_;
    type(item);
    space();
    if (starts_word(*at_)) item.name = word_here("a name");
    if (item.key.writes && !is_argument(item))
      fail_at(begin, "the type and alias set of an argument that is written, since this result is");
    ++head_.returns;
  }
  // A result that is written is one of the arguments, returned: callers look for it by its set.
  constexpr bool is_argument(const item_code& result) const noexcept {
    const std::string_view sets(begin_ + result.alias.begin, result.alias.size);
    for (std::size_t i = 0; i < head_.arguments; ++i) {
      const item_code& a = items_[i];
      if (a.key.writes && have_common_set({begin_ + a.alias.begin, a.alias.size}, sets) && a.key == result.key)
        return true;
    }
    return false;
  }
  constexpr void dots() noexcept {
    if (at_[0] == '.' && at_[1] == '.' && at_[2] == '.')
      at_ += 3;
    else
      fail("'...'");
  }

  // A type and its annotations; `inner` is the type of an element of a tuple or the like.
  constexpr void type(item_code& item, int depth = 0) noexcept {
    const char* const begin = at_;
    if (depth > 8) return fail("fewer nested types");
    if (*at_ == '(') {
      item.made_of_types = true;
    } else {
      type_name();
      item.made_of_types = *at_ == '(' && holds_types(begin);
    }
    if (item.made_of_types) elements(begin, depth);
    item.type = from(begin);
    if (item.made_of_types || item.type.size > sizeof item.key.core)
      head_.simple = false;
    else
      copy_characters(item.key.core, begin, item.type.size);
    if (depth != 0 && (*at_ == '(' || *at_ == '!')) return fail("no annotation inside another type");
    if (*at_ == '(') {
      item.alias = annotation(item.alias_after, item.key.writes);
    } else if (*at_ == '!') {
      item.key.writes = true;
      ++at_;
    }
    if (*at_ == '[' || *at_ == '?') modifiers(item, depth);
  }
  constexpr void modifiers(item_code& item, int depth) noexcept {
    for (int shift = 0; *at_ == '[' || *at_ == '?'; shift += 2) {
      if (shift == 8) return fail("fewer '[]' and '?'");
      item.key.modifiers = static_cast<std::uint8_t>(item.key.modifiers | (*at_ == '?' ? 2 : 1) << shift);
      if (*at_++ == '?') {
        if (*at_ == '?') fail("no second '?'");
        if (*at_ == '(') fail("the annotation before the '?'");
        continue;
      }
      if (item.list_size >= 0) return fail_at(at_ - 1, "nothing after a list with a size but '?'");
      space();
      if (is_digit(*at_)) list_size(item, depth);
      expect(']', "']' or a list size");
      if (*at_ == '(') {
        piece after;
        bool writes = false;
        const char* const annotated = at_;
        item.list_alias = annotation(after, writes);
        if (after.size != 0 || writes != item.key.writes)
          fail_at(annotated, "a list's own sets, written like its elements' and without '->'");
        if (*at_ == '[' || *at_ == '(') fail("nothing but '?' after the annotation of a list");
      }
    }
  }
  constexpr void list_size(item_code& item, int depth) noexcept {
    const char* const begin = at_;
    item.list_size = 0;
    while (is_digit(*at_)) {
      if (at_ - begin == 5) return fail_at(begin, "a list size of at most 99999");
      item.list_size = item.list_size * 10 + (*at_++ - '0');
    }
    if (item.list_size == 0) fail_at(begin, "a list size of at least 1");
    if (depth != 0) fail_at(begin, "no list size inside another type");
  }
  constexpr void type_name() noexcept {
    const char* const begin = at_;
    word_here("a type");
    // Names may be qualified: `img::image`, `__torch__.torch.classes.ns.name`.
    while ((*at_ == '.' && starts_word(at_[1])) || (*at_ == ':' && at_[1] == ':')) {
      at_ += *at_ == '.' ? 1 : 2;
      word_here("a name after '::'");
    }
    // Most types are 'int' or begin with a capital.
    if (*begin < 'd' || at_ - begin == 3) return;
    if (const char* const wanted = instead_of(begin, static_cast<std::size_t>(at_ - begin))) fail_at(begin, wanted);
  }
  constexpr bool holds_types(const char* begin) const noexcept {
    switch (at_ - begin) {
      case 4: return same(begin, "Dict", 4) || same(begin, "RRef", 4);
      case 5: return same(begin, "Union", 5) || same(begin, "Await", 5);
      case 6: return same(begin, "Future", 6);
      default: return false;
    }
  }
  constexpr void elements(const char* const begin, int depth) noexcept {
    ++at_;
    int count = 0;
    do {
      item_code element;
      space();
      type(element, depth + 1);
      ++count;
    } while (take(','));
    if (*begin == 'D' && count != 2) fail("two types in a Dict, of its keys and of its values");
    if ((*begin == 'F' || *begin == 'A' || *begin == 'R') && count != 1) fail("one type");
    expect(')', "',' or ')' after a type");
  }

  // `(a|b! -> *)`
  constexpr piece annotation(piece& after, bool& writes) noexcept {
    ++at_;
    const piece before = alias_sets();
    writes = take('!');
    space();
    if (*at_ == '-' && at_[1] == '>') {
      at_ += 2;
      after = alias_sets();
    }
    expect(')', "')' after the alias set");
    return before;
  }
  constexpr piece alias_sets() noexcept {
    space();
    const char* const begin = at_;
    const char* end = at_;
    int count = 0;
    do {
      space();
      if (++count > 16) fail("at most 16 alias sets");
      if (*at_ == '*')
        ++at_;
      else
        word("an alias set");
      end = at_;
    } while (take('|'));
    return {static_cast<std::uint16_t>(begin - begin_), static_cast<std::uint16_t>(end - begin)};
  }

  constexpr void literal(item_code& item) noexcept {
    space();
    const char* const begin = at_;
    literal_reader reader{at_, end_};
    const literal_kind kind =
        item.made_of_types ? literal_kind::none : kind_of(begin_ + item.type.begin, item.type.size);
    reader.read(kind, item.key.modifiers, item.list_size >= 0);
    if (reader.expected != nullptr) return fail_at(reader.at, reader.expected);
    at_ = reader.at;
    item.literal = from(begin);
  }

  constexpr piece word(const char* expected) noexcept {
    space();
    return word_here(expected);
  }
  constexpr piece word_here(const char* expected) noexcept {
    const char* at = at_;
    const char* const begin = at;
    if (!starts_word(*at)) {
      fail(expected);
      return {};
    }
    do ++at;
    while ((characters.of[static_cast<unsigned char>(*at)] & character_classes::word) != 0);
    at_ = at;
    return from(begin);
  }
  constexpr piece from(const char* begin) const noexcept {
    return {static_cast<std::uint16_t>(begin - begin_), static_cast<std::uint16_t>(at_ - begin)};
  }
  constexpr void space() noexcept { at_ = skip_space(at_); }
  constexpr bool take(char c) noexcept {
    space();
    if (*at_ != c) return false;
    ++at_;
    return true;
  }
  constexpr void expect(char c, const char* expected) noexcept {
    space();
    if (*at_ == c)
      ++at_;
    else
      fail(expected);
  }
  constexpr void fail(const char* expected) noexcept { fail_at(at_, expected); }
  // The first mistake counts. What follows finds itself at the end of the text, where every loop stops.
  constexpr void fail_at(const char* at, const char* expected) noexcept {
    if (head_.column == 0) {
      head_.column = static_cast<std::uint16_t>(at - begin_ + 1);
      head_.expected = expected;
    }
    at_ = end_;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  item_code* items_;
  schema_head head_;
};

}  // namespace detail

}  // namespace topbit
