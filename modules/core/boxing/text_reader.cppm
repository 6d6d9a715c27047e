// A cursor for parsing values from text. It knows the syntax of numbers, words, strings and lists, and nothing of the
// types that are made of them.
export module topbit.core:boxing.text_reader;

import topbit.std;

namespace topbit {

namespace author {

/// Reads a text from left to right. Blanks before what is read are skipped. A mismatch throws
/// bad_argument with a text such as "found 'x' at column 3, wanted an integer". Columns count bytes, from 1.
export class text_reader {
 public:
  /// Keeps a view of the text.
  inline explicit text_reader(std::string_view text) noexcept : text_(text) {}

  /// The next character that is no blank; zero at the end.
  char peek() noexcept;
  /// True at the end of the text but for blanks.
  bool at_end() noexcept;
  /// The column of the next character that is no blank.
  std::size_t column() noexcept;

  /// Takes this character, or this word as a whole, if it comes next.
  bool take(char c) noexcept;
  bool take_word(std::string_view word) noexcept;
  /// Takes this character; where another comes next, fails with what was wanted, or else the character.
  void expect(char c, std::string_view wanted = {});
  void expect_end();

  /// A letter or an underscore, then also digits; empty if none comes next.
  std::string_view word() noexcept;
  /// What comes before the next blank, comma, bracket, parenthesis, quote or equals sign; empty if nothing does.
  std::string_view token() noexcept;
  /// What a string is made of: a text in single or double quotes with the escapes \n \t \r \0 \xHH and a backslash
  /// before anything else for itself; or a token.
  std::string string();

  /// A number of this type; nothing is rounded to an integer, and a value out of range is an error. An integer may also
  /// be the word Mean, the one that schemas use for one: a reduction, 1.
  template <class T>
    requires(std::integral<T> || std::floating_point<T>)
  T number();
  /// The characters of the next number, and whether they are those of an integer: 1, -2.5, 1e-3, inf, -inf, nan.
  struct number_text {
    std::string_view text;
    std::size_t column;
    bool is_integer;
  };
  number_text number_token();
  /// The number that such characters are.
  template <class T>
  T convert(const number_text& n) const;

  /// Throws bad_argument about what comes next, or about what is at a column.
  [[noreturn]] void fail(std::string_view wanted);
  [[noreturn]] void fail_at(std::size_t column, std::string_view wanted) const;

  /// Reading may go back to a column that it came from.
  void go_to(std::size_t column) noexcept;
  /// Where a list may be one element that stands for n, as for `int[2] stride=1` and `int[] size`: set by who knows the
  /// schema, asked once by who reads the list. Zero: it may not.
  void set_lone_elements(std::size_t n) noexcept;
  std::size_t take_lone_elements() noexcept;

 private:
  void skip_blanks() noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t lone_elements_ = 0;
};

template <class T>
T text_reader::convert(const number_text& n) const {
  T x{};
  constexpr std::string_view wanted =
      std::floating_point<T> ? "a number in the range of this type" : "an integer in the range of this type";
  if (std::integral<T> && !n.is_integer) fail_at(n.column, "an integer");
  const char* end = n.text.data() + n.text.size();
  const auto [last, error] = std::from_chars(n.text.data(), end, x);
  if (error != std::errc{} || last != end) fail_at(n.column, wanted);
  return x;
}

template <class T>
  requires(std::integral<T> || std::floating_point<T>)
T text_reader::number() {
  if constexpr (std::integral<T>) {
    if (take_word("Mean")) return T{1};
    const char c = peek();
    if (c != '-' && (c < '0' || c > '9')) fail("an integer");
  }
  return convert<T>(number_token());
}

}  // namespace author

}  // namespace topbit
