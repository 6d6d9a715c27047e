#include <catch2/catch_test_macros.hpp>
#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using namespace std::literals;
using tb::author::read_text;
using complex = std::complex<double>;

namespace {

enum class mode : std::int8_t { off = -1, on = 1 };

// Six hexadecimal digits after a '#'.
struct colour {
  std::uint8_t red = 0, green = 0;
  friend bool operator==(const colour&, const colour&) = default;
};

template <class T>
std::string written(const T& x) {
  std::string text;
  tb::author::write_text(text, x);
  return text;
}
template <class T>
std::string refusal(std::string_view text) {
  return toy::text_of<tb::bad_argument>([&] { (void)read_text<T>(text); });
}

}  // namespace

template <>
struct topbit::boxed_type<colour> {
  static constexpr std::string_view name = "colour";
  static colour read(topbit::author::text_reader& in) {
    in.expect('#');
    const auto red = in.number<std::uint8_t>();
    in.expect('-');
    return {red, in.number<std::uint8_t>()};
  }
  static void write(std::string& out, const colour& c) {
    out += '#';
    tb::author::write_text(out, c.red);
    out += '-';
    tb::author::write_text(out, c.green);
  }
};

TEST_CASE("text_form: bool, integers and numbers are written as a schema writes them", "[core][text_form]") {
  CHECK(written(true) == "True");
  CHECK(written(false) == "False");
  CHECK(written(std::int64_t{-3}) == "-3");
  CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(written(2.0) == "2.0");
  CHECK(written(0.1) == "0.1");
  CHECK(written(0.1F) == "0.1");
  CHECK(written(1e300) == "1e+300");
  CHECK(written(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(read_text<bool>("True"));
  CHECK_FALSE(read_text<bool>("false"));
  CHECK(read_text<double>("3") == 3.0);
  CHECK(refusal<bool>("1") == "found '1' at column 1, wanted True or False");
  CHECK(refusal<std::int64_t>("3 4") == "found '4' at column 3, wanted the end");
}

TEST_CASE("text_form: a complex number has a j", "[core][text_form]") {
  CHECK(written(complex(1, 2)) == "1+2j");
  CHECK(written(complex(0.5, -0.0)) == "0.5-0j");
  CHECK(read_text<complex>("1+2j") == complex(1, 2));
  CHECK(read_text<complex>("-1e-3-2.5j") == complex(-1e-3, -2.5));
  CHECK(read_text<complex>("2j") == complex(0, 2));
  CHECK(read_text<complex>("7") == complex(7, 0));
  CHECK(refusal<complex>("1+2") == "found '1+2' at column 1, wanted a complex number such as 1+2j");
  CHECK(refusal<complex>("1+") == "found the end at column 3, wanted a number");
  CHECK(refusal<complex>("1 +2j") == "found '+2j' at column 3, wanted the end");
}

TEST_CASE("text_form: a string is written in quotes and read with or without", "[core][text_form]") {
  CHECK(written("a \"b\"\n\x01"sv) == R"("a \"b\"\n\x01")");
  CHECK(written(std::string("\xc3\xa9")) == "\"\xc3\xa9\"");
  CHECK(written("\xf0\x9f\x98\x80 \xe2\x82\xac"sv) == "\"\xf0\x9f\x98\x80 \xe2\x82\xac\"");
  CHECK(read_text<std::string>("mean") == "mean");
  CHECK(read_text<std::string>("'None'") == "None");
}

TEST_CASE("text_form: no string reaches a terminal as a control character, or as invalid UTF-8", "[core][text_form]") {
  CHECK(written("\x1b[2J\x7f"sv) == R"("\x1b[2J\x7f")");
  CHECK(written("\xc2\x9b"
                "2J\xc2\x80\xc2\x9f\xc2\xa0"sv) == "\"\\xc2\\x9b2J\\xc2\\x80\\xc2\\x9f\xc2\xa0\"");
  // A byte alone, one too many, a character cut off, two ways too long, a surrogate, one beyond the last.
  for (const std::string_view bytes : {"\x9b"sv, "\xff"sv, "\xe2\x82"sv, "\xc0\xaf"sv, "\xe0\x80\xaf"sv,
                                       "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv, "\xf5\x80\x80\x80"sv}) {
    INFO(bytes.size());
    CHECK(written(bytes).find_first_not_of("\"\\x0123456789abcdef") == std::string::npos);
    CHECK(read_text<std::string>(written(bytes)) == bytes);
  }
}

TEST_CASE("text_form: lists nest, and hold optionals", "[core][text_form]") {
  using ints = std::vector<std::int64_t>;
  CHECK(written(ints{1, 2}) == "[1, 2]");
  CHECK(written(std::span<const std::int64_t>{}) == "[]");
  CHECK(written(std::vector<bool>{true, false}) == "[True, False]");
  CHECK(written(std::vector<ints>{{1}, {}}) == "[[1], []]");
  CHECK(written(std::vector<std::optional<std::string>>{"a", std::nullopt}) == "[\"a\", None]");
  CHECK(read_text<ints>(" [ 1 ,2]") == ints{1, 2});
  CHECK(read_text<std::vector<ints>>("[[1, 2], [], [3]]") == std::vector<ints>{{1, 2}, {}, {3}});
  CHECK(read_text<std::vector<std::optional<ints>>>("[None, [1]]") ==
        std::vector<std::optional<ints>>{std::nullopt, ints{1}});
  CHECK(read_text<std::vector<bool>>("[True, false]") == std::vector<bool>{true, false});
  CHECK(refusal<ints>("3") == "found '3' at column 1, wanted a list, '['");
  CHECK(refusal<ints>("[1 2]") == "found '2' at column 4, wanted ',' or ']'");
  CHECK(refusal<ints>("[1,]") == "found ']' at column 4, wanted an integer");
  CHECK(refusal<ints>("[1") == "found the end at column 3, wanted ',' or ']'");
}

TEST_CASE("text_form: an optional is None or what it holds", "[core][text_form]") {
  CHECK(written(std::optional<std::int64_t>{}) == "None");
  CHECK(written(std::optional(3.0)) == "3.0");
  CHECK(read_text<std::optional<std::int64_t>>("None") == std::nullopt);
  CHECK(read_text<std::optional<std::int64_t>>("4") == 4);
  CHECK(refusal<std::optional<std::int64_t>>("Nones") == "found 'Nones' at column 1, wanted an integer");
}

TEST_CASE("text_form: an enum is its number, an aggregate its type's name", "[core][text_form]") {
  CHECK(written(mode::off) == "-1");
  CHECK(read_text<mode>("1") == mode::on);
  CHECK(written(toy::image{}) == "<toy::image>");
  CHECK(written(std::vector<toy::image>(2)) == "[<toy::image>, <toy::image>]");
  STATIC_REQUIRE(tb::author::readable_text<mode>);
  STATIC_REQUIRE_FALSE(tb::author::readable_text<toy::image>);
  STATIC_REQUIRE_FALSE(tb::author::readable_text<std::vector<toy::image>>);
  STATIC_REQUIRE_FALSE(tb::author::readable_text<std::string_view>);  // nobody would own the characters
}

TEST_CASE("text_form: one specialisation makes a type readable, alone and in lists", "[core][text_form]") {
  CHECK(written(colour{1, 2}) == "#1-2");
  CHECK(read_text<std::vector<colour>>("[#1-2, # 255 - 0]") == std::vector<colour>{{1, 2}, {255, 0}});
  CHECK(refusal<colour>("#256") == "found '256' at column 2, wanted an integer in the range of this type");
}

TEST_CASE("text_form: a value is written as what it holds", "[core][text_form][value]") {
  CHECK(to_string(tb::value()) == "None");
  CHECK(to_string(tb::value(3.0)) == "3.0");
  CHECK(to_string(tb::value(std::string("x"))) == "\"x\"");
  CHECK(to_string(tb::value(std::vector<std::int64_t>{1, 2})) == "[1, 2]");
  CHECK(to_string(tb::value(colour{1, 2})) == "#1-2");
  CHECK(tb::value(colour{}).type_name() == "colour");
  std::int64_t n = 4;
  const tb::value reference = tb::value::refer(n);
  n = 5;
  CHECK(to_string(reference) == "5");
}
