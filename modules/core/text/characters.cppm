// Characters of schemas, for code that the compiler's evaluator runs: one look into a table each.
export module topbit.core:text.characters;

import topbit.std;

namespace topbit {

namespace detail {

struct character_classes {
  std::uint8_t of[256]{};
  static constexpr std::uint8_t letter = 1, digit = 2, word = letter | digit, space = 4;

  constexpr character_classes() noexcept {
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = letter;
    for (int c = '0'; c <= '9'; ++c) of[c] = digit;
    of[static_cast<int>('_')] = letter;
    for (char c : {' ', '\t', '\n', '\r', '#'}) of[static_cast<int>(c)] = space;
  }
};
inline constexpr character_classes characters;

constexpr bool starts_word(char c) noexcept {
  return characters.of[static_cast<unsigned char>(c)] == character_classes::letter;
}
constexpr bool is_word(char c) noexcept {
  return (characters.of[static_cast<unsigned char>(c)] & character_classes::word) != 0;
}
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

constexpr bool is_identifier(std::string_view text) noexcept {
  bool good = !text.empty() && starts_word(text.front());
  for (char c : text) good = good && is_word(c);
  return good;
}

// Where white space and comments, from '#' to the end of the line, end.
constexpr const char* skip_space(const char* at) noexcept {
  while (characters.of[static_cast<unsigned char>(*at)] == character_classes::space) {
    if (*at++ != '#') continue;
    while (*at != '\n' && *at != '\0') ++at;
  }
  return at;
}

constexpr bool same(const char* a, const char* b, std::size_t size) noexcept {
  return __builtin_memcmp(a, b, size) == 0;
}

// The first word of a text, which goes on behind it; empty at its end.
constexpr std::string_view take_word(std::string_view& text) noexcept {
  std::size_t begin = 0;
  while (begin < text.size() && !is_word(text[begin])) ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// Whether two texts of alias sets, "a|b" and "b", have a set in common; "*" is all sets.
constexpr bool have_common_set(std::string_view a, std::string_view b) noexcept {
  if ((a == b && !a.empty()) || a == "*" || b == "*") return true;
  for (std::string_view one = take_word(a); !one.empty(); one = take_word(a)) {
    std::string_view others = b;
    for (std::string_view other = take_word(others); !other.empty(); other = take_word(others)) {
      if (one == other) return true;
    }
  }
  return false;
}

// clang evaluates these in one step, where the functions of std::char_traits take one for each character, which shows
// in compile times. Other compilers do not know the builtins or do not evaluate them.
template <class Char>
constexpr const Char* find_character(const Char* from, std::size_t size, Char wanted) noexcept {
  if constexpr (requires { __builtin_char_memchr(from, wanted, size); })
    return __builtin_char_memchr(from, wanted, size);
  else
    return std::char_traits<Char>::find(from, size, wanted);
}
template <class Char>
constexpr void copy_characters(Char* to, const Char* from, std::size_t size) noexcept {
  if constexpr (requires { __builtin_char_memchr(from, *from, size); })
    __builtin_memcpy(to, from, size);
  else
    std::char_traits<Char>::copy(to, from, size);
}

}  // namespace detail

}  // namespace topbit
