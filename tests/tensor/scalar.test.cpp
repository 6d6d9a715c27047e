#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/tensor_print.h"
import topbit.tensor;

namespace tb = topbit;
using tb::dtype;
using tb::scalar;

TEST_CASE("scalar: to() converts to any arithmetic type", "[tensor][scalar]") {
  STATIC_REQUIRE(tb::scalar(2.75).to<int>() == 2);
  STATIC_REQUIRE(tb::scalar(2.75).to<float>() == 2.75F);
  STATIC_REQUIRE(tb::scalar(0.5).to<bool>());
  STATIC_REQUIRE_FALSE(tb::scalar(0).to<bool>());
  STATIC_REQUIRE(tb::scalar(7).to<double>() == 7);
}

TEST_CASE("scalar: keeps the category of its value", "[tensor][scalar]") {
  CHECK(scalar().type() == dtype::int64);
  CHECK(scalar(true).type() == dtype::boolean);
  CHECK(scalar(1).type() == dtype::int64);
  CHECK(scalar(std::int8_t{1}).type() == dtype::int64);
  CHECK(scalar(1.0F).type() == dtype::float64);
  CHECK(scalar(1.0).type() == dtype::float64);
  CHECK(scalar(1) == scalar(std::int64_t{1}));
  CHECK_FALSE(scalar(1) == scalar(1.0));
}

TEST_CASE("scalar: an integer keeps all of its bits", "[tensor][scalar]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(scalar(most).to_int64() == most);
  CHECK(scalar(most - 1).to_int64() == most - 1);
  CHECK(scalar(std::numeric_limits<std::int64_t>::min()).to_int64() == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("scalar: a number truncates toward zero, and values out of range become the lowest", "[tensor][scalar]") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(scalar(2.9).to_int64() == 2);
  CHECK(scalar(-2.9).to_int64() == -2);
  CHECK(scalar(-0x1p63).to_int64() == least);
  CHECK(scalar(0x1p63).to_int64() == least);
  CHECK(scalar(1e300).to_int64() == least);
  CHECK(scalar(std::nan("")).to_int64() == least);
  CHECK(scalar(std::numeric_limits<float>::infinity()).to_int64() == least);
  CHECK(std::isnan(scalar(std::nan("")).to_double()));
  static_assert(scalar(1e300).to_double() == 1e300);
}

TEST_CASE("scalar: prints its value", "[tensor][scalar]") {
  CHECK(tb::to_string(scalar(true)) == "true");
  CHECK(tb::to_string(scalar(false)) == "false");
  CHECK(tb::to_string(scalar(-7)) == "-7");
  CHECK(tb::to_string(scalar(0.1)) == "0.1");
  CHECK(tb::to_string(scalar(1e-9)) == "1e-09");
}
