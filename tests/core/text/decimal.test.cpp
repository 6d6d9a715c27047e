#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

import topbit.core;

namespace tb = topbit;

namespace {

double reference(std::string_view text) {
  double x = 0;
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}
double by_schema(const std::string& text) { return tb::author::schema_default<double>::from(text); }
std::int64_t bits(double x) { return std::bit_cast<std::int64_t>(x); }

}  // namespace

TEST_CASE("decimal: a default is the double that is nearest to its digits", "[core][decimal]") {
  for (const char* text : {"0", "-0.0", "1", "1.", ".5", "0.1", "0.3333333333333333", "1e-05", "123456789012345678",
                           "9007199254740993", "0.1000000000000000055", "1e19", "1e-19", "2.2250738585072014e-15"}) {
    INFO(text);
    const std::string full = text[0] == '.' ? "0" + std::string(text) : text;
    CHECK(bits(by_schema(text)) == bits(reference(full)));
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    // Up to 19 digits; the exponent keeps the power of ten that is left within 19.
    const std::uint64_t digits = (random() >> (random() % 40)) % 10'000'000'000'000'000'000U;
    const std::string text = std::to_string(digits) + "e" + std::to_string(static_cast<int>(random() % 20) - 19);
    if (bits(by_schema(text)) != bits(reference(text))) FAIL(text);
  }
  // Where the quotient is shortest, what is left of the division decides one in some thousand times.
  for (int i = 0; i < 200'000; ++i) {
    const std::string text = std::to_string(random() % 10'000'000'000'000'000'000U) + "e-19";
    if (bits(by_schema(text)) != bits(reference(text))) FAIL(text);
  }
}

TEST_CASE("decimal: far exponents are within one unit in the last place", "[core][decimal]") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(random() % 1'000'000'000'000'000'000U + 1) + "e" +
                             std::to_string(static_cast<int>(random() % 570) - 285);
    if (std::abs(bits(by_schema(text)) - bits(reference(text))) > 1) FAIL(text);
  }
}

TEST_CASE("decimal: the canonical text of a number is the same number", "[core][decimal]") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(random() >> (random() % 60)) + "." + std::to_string(random() % 1'000'000) +
                             "e" + std::to_string(static_cast<int>(random() % 500) - 250);
    const std::string canonical = to_string(tb::schema("f(float x=" + text + ") -> ()").view());
    const std::string number = canonical.substr(10, canonical.find(')') - 10);
    if (bits(reference(number)) != bits(reference(text))) FAIL(text + " became " + number);
  }
}
