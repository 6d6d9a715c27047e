#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "support/raises.h"
import topbit.core;

namespace tb = topbit;
using tb::author::text_reader;

namespace {
// The whole of a text as one number.
template <class T>
T number(std::string_view text) {
  text_reader in(text);
  const T x = in.number<T>();
  in.expect_end();
  return x;
}
template <class F>
std::string refusal(std::string_view text, F read) {
  return toy::text_of<tb::bad_argument>([&] {
    text_reader in(text);
    read(in);
  });
}
}  // namespace

TEST_CASE("text_reader: blanks before what is read are skipped, and columns count from 1", "[core][text_reader]") {
  text_reader in("  a\t(\n 1 )");
  CHECK(in.column() == 3);
  CHECK(in.word() == "a");
  CHECK(in.take('('));
  CHECK(in.peek() == '1');
  CHECK(in.column() == 8);
  CHECK(in.number<std::int64_t>() == 1);
  CHECK_FALSE(in.at_end());
  in.expect(')');
  CHECK(in.at_end());
  CHECK(in.peek() == '\0');
  CHECK_FALSE(in.take('\0'));
}

TEST_CASE("text_reader: a word is taken as a whole or not at all", "[core][text_reader]") {
  text_reader in("None Nonesuch");
  CHECK_FALSE(in.take_word("No"));
  CHECK(in.take_word("None"));
  CHECK_FALSE(in.take_word("None"));
  CHECK(in.word() == "Nonesuch");
  CHECK(in.word().empty());
}

TEST_CASE("text_reader: an integer has all of its 64 bits and no more", "[core][text_reader]") {
  CHECK(number<std::int64_t>("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK(number<std::int64_t>("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(number<std::uint64_t>("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(number<std::int8_t>("-128") == -128);
  const auto read = [](text_reader& in) { (void)in.number<std::int64_t>(); };
  CHECK(refusal("9223372036854775808", read) ==
        "found '9223372036854775808' at column 1, wanted an integer in the range of this type");
  CHECK(refusal(" 2.5", read) == "found '2.5' at column 2, wanted an integer");
  CHECK(refusal("1e3", read) == "found '1e3' at column 1, wanted an integer");
  CHECK(refusal("inf", read) == "found 'inf' at column 1, wanted an integer");
  CHECK(refusal("-", read) == "found '-' at column 1, wanted a number");
  CHECK(refusal("", read) == "found the end at column 1, wanted an integer");
  CHECK(refusal("-1", [](text_reader& in) { (void)in.number<std::uint8_t>(); }) ==
        "found '-1' at column 1, wanted an integer in the range of this type");
}

TEST_CASE("text_reader: the one word for an integer is Mean", "[core][text_reader]") {
  CHECK(number<std::int64_t>("Mean") == 1);
  CHECK(refusal("Sum", [](text_reader& in) { (void)in.number<std::int64_t>(); }) ==
        "found 'Sum' at column 1, wanted an integer");
}

TEST_CASE("text_reader: a number may have a fraction, an exponent, or be no number", "[core][text_reader]") {
  CHECK(number<double>("3") == 3.0);
  CHECK(number<double>("1e-3") == 1e-3);
  CHECK(number<double>("-2.5E+2") == -250.0);
  CHECK(number<double>(".5") == 0.5);
  CHECK(number<double>("1.") == 1.0);
  CHECK(number<double>("5e-324") == 5e-324);
  CHECK(number<double>("inf") == std::numeric_limits<double>::infinity());
  CHECK(number<double>("-inf") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(number<double>("nan")));
  CHECK(number<float>("0.1") == 0.1F);
  const auto read = [](text_reader& in) { (void)in.number<double>(); };
  CHECK(refusal("1e999", read) == "found '1e999' at column 1, wanted a number in the range of this type");
  CHECK(refusal("1e", read) == "found '1e' at column 1, wanted a number");
  CHECK(refusal(".", read) == "found '.' at column 1, wanted a number");
  CHECK(refusal("--1", read) == "found '--1' at column 1, wanted a number");
  CHECK(refusal("x", read) == "found 'x' at column 1, wanted a number");
}

TEST_CASE("text_reader: a string is quoted with escapes, or bare", "[core][text_reader]") {
  const auto read = [](std::string_view text) { return text_reader(text).string(); };
  CHECK(read("bare-word.1 next") == "bare-word.1");
  CHECK(read(R"("two words")") == "two words");
  CHECK(read(R"('it\'s "so"')") == "it's \"so\"");
  CHECK(read(R"("a\n\t\\\x41\0b")") == std::string("a\n\t\\A\0b", 7));
  CHECK(read("''").empty());
  const auto fails = [](text_reader& in) { (void)in.string(); };
  CHECK(refusal(" \"ab", fails) == "found the end at column 5, wanted the quote that ends the string at column 2");
  CHECK(refusal("'a\\", fails) == "found the end at column 4, wanted the quote that ends the string at column 1");
  CHECK(refusal(R"('\x4')", fails) == R"(found '\\x4' at column 2, wanted two hexadecimal digits after '\x')");
  CHECK(refusal(",", fails) == "found ',' at column 1, wanted a string");
}

TEST_CASE("text_reader: what was found is shown up to a delimiter, short and printable", "[core][text_reader]") {
  const auto end = [](text_reader& in) { in.expect_end(); };
  CHECK(refusal("ab(c", end) == "found 'ab' at column 1, wanted the end");
  CHECK(refusal("(c", end) == "found '(' at column 1, wanted the end");
  CHECK(refusal(std::string(40, 'x'), end) == "found '" + std::string(24, 'x') + "...' at column 1, wanted the end");
  CHECK(refusal("\x01\xff", end) == "found '\\x01\\xff' at column 1, wanted the end");
  CHECK(refusal("a", [](text_reader& in) { in.expect('['); }) == "found 'a' at column 1, wanted '['");
}
