#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "oracle/dtype_rules.h"
#include "support/tensor_print.h"
import topbit;

namespace tb = topbit;
using tb::dtype;

TEST_CASE("dtype: has a size and a name", "[tensor][dtype]") {
  constexpr std::size_t bytes[] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
  for (std::size_t i = 0; i < tb::dtype_count; ++i) {
    CHECK(static_cast<std::size_t>(tb::all_dtypes[i]) == i);
    CHECK(tb::size_of(tb::all_dtypes[i]) == bytes[i]);
    CHECK(tb::dtype_named(tb::name_of(tb::all_dtypes[i])) == tb::all_dtypes[i]);
  }
  CHECK(tb::dtype_named("float8") == std::nullopt);
  CHECK(tb::name_of(dtype::boolean) == "bool");
  CHECK(tb::name_of(dtype::int64) == "int64");
  CHECK(tb::name_of(dtype::float32) == "float32");
  CHECK(tb::name_of(dtype::float64) == "float64");
}

TEST_CASE("dtype: belongs to a C++ type", "[tensor][dtype]") {
  CHECK(tb::dtype_of<bool> == dtype::boolean);
  CHECK(tb::dtype_of<std::int64_t> == dtype::int64);
  CHECK(tb::dtype_of<float> == dtype::float32);
  CHECK(tb::dtype_of<tb::half> == dtype::float16);
  CHECK(tb::dtype_of<tb::bfloat16> == dtype::bfloat16);
  CHECK(tb::dtype_of<std::uint8_t> == dtype::uint8);
  for (dtype t : tb::all_dtypes) CHECK(tb::with_element_type(t, []<class T>(T) { return tb::dtype_of<T>; }) == t);
  CHECK(tb::dtype_of<double> == dtype::float64);
}

TEST_CASE("dtype: promotion is the array API's table, and a least upper bound", "[tensor][dtype]") {
  for (dtype a : tb::all_dtypes) {
    for (dtype b : tb::all_dtypes) {
      INFO(tb::name_of(a) << " and " << tb::name_of(b));
      CHECK(tb::promote(a, b) == oracle::naive_promote(a, b));
      CHECK(tb::promote(a, b) == tb::promote(b, a));
      CHECK(tb::can_cast(a, tb::promote(a, b)));
      for (dtype c : tb::all_dtypes) CHECK(tb::promote(tb::promote(a, b), c) == tb::promote(a, tb::promote(b, c)));
    }
  }
}

TEST_CASE("dtype: a result may be written to its own or a higher category", "[tensor][dtype]") {
  CHECK(tb::can_cast(dtype::boolean, dtype::int8));
  CHECK(tb::can_cast(dtype::int64, dtype::uint8));
  CHECK(tb::can_cast(dtype::int64, dtype::float16));
  CHECK(tb::can_cast(dtype::float64, dtype::bfloat16));
  CHECK_FALSE(tb::can_cast(dtype::float16, dtype::int64));
  CHECK_FALSE(tb::can_cast(dtype::uint8, dtype::boolean));
}

TEST_CASE("dtype: every float16 and bfloat16 converts with IEEE 754 rounding, both ways", "[tensor][dtype][half]") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    tb::half h;
    tb::bfloat16 b;
    h.bits = b.bits = static_cast<std::uint16_t>(bits);
    const float x = h, y = b;
    const bool right = (x != x || tb::half(x).bits == bits) && (y != y || tb::bfloat16(y).bits == bits);
    if (!right) FAIL("of " << bits);
  }
  std::uint32_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525 + 1013904223;
    const float x = std::bit_cast<float>(state);
    if (x != x) {
      CHECK(static_cast<float>(tb::half(x)) != static_cast<float>(tb::half(x)));
      CHECK(static_cast<float>(tb::bfloat16(x)) != static_cast<float>(tb::bfloat16(x)));
      continue;
    }
    const bool right = static_cast<double>(static_cast<float>(tb::half(x))) == oracle::stored(dtype::float16, x) &&
                       static_cast<double>(static_cast<float>(tb::bfloat16(x))) == oracle::stored(dtype::bfloat16, x);
    if (!right) FAIL("of " << x);
  }
}

TEST_CASE("dtype: to_floating keeps floating types and maps others to float32", "[tensor][dtype]") {
  CHECK(tb::to_floating(dtype::boolean) == dtype::float32);
  CHECK(tb::to_floating(dtype::int64) == dtype::float32);
  CHECK(tb::to_floating(dtype::float32) == dtype::float32);
  CHECK(tb::to_floating(dtype::float64) == dtype::float64);
  CHECK_FALSE(tb::is_floating(dtype::int64));
  CHECK(tb::is_floating(dtype::float32));
}
