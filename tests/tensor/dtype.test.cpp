#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>

#include "support/tensor_print.h"
import topbit.tensor;

namespace tb = topbit;
using tb::dtype;

namespace {
constexpr dtype all[] = {dtype::boolean, dtype::int64, dtype::float32, dtype::float64};
}

TEST_CASE("dtype: has a size and a name", "[tensor][dtype]") {
  CHECK(tb::size_of(dtype::boolean) == sizeof(bool));
  CHECK(tb::size_of(dtype::int64) == sizeof(std::int64_t));
  CHECK(tb::size_of(dtype::float32) == sizeof(float));
  CHECK(tb::size_of(dtype::float64) == sizeof(double));
  CHECK(tb::name_of(dtype::boolean) == "bool");
  CHECK(tb::name_of(dtype::int64) == "int64");
  CHECK(tb::name_of(dtype::float32) == "float32");
  CHECK(tb::name_of(dtype::float64) == "float64");
}

TEST_CASE("dtype: belongs to a C++ type", "[tensor][dtype]") {
  CHECK(tb::dtype_of<bool> == dtype::boolean);
  CHECK(tb::dtype_of<std::int64_t> == dtype::int64);
  CHECK(tb::dtype_of<float> == dtype::float32);
  CHECK(tb::dtype_of<double> == dtype::float64);
}

TEST_CASE("dtype: promotion is a least upper bound: bool, int64, float32, float64", "[tensor][dtype]") {
  for (dtype a : all) {
    CHECK(tb::promote(a, a) == a);
    for (dtype b : all) {
      CHECK(tb::promote(a, b) == tb::promote(b, a));
      for (dtype c : all) CHECK(tb::promote(tb::promote(a, b), c) == tb::promote(a, tb::promote(b, c)));
    }
  }
  CHECK(tb::promote(dtype::boolean, dtype::int64) == dtype::int64);
  CHECK(tb::promote(dtype::int64, dtype::float32) == dtype::float32);
  CHECK(tb::promote(dtype::float32, dtype::float64) == dtype::float64);
}

TEST_CASE("dtype: to_floating keeps floating types and makes float32 of the rest", "[tensor][dtype]") {
  CHECK(tb::to_floating(dtype::boolean) == dtype::float32);
  CHECK(tb::to_floating(dtype::int64) == dtype::float32);
  CHECK(tb::to_floating(dtype::float32) == dtype::float32);
  CHECK(tb::to_floating(dtype::float64) == dtype::float64);
  CHECK_FALSE(tb::is_floating(dtype::int64));
  CHECK(tb::is_floating(dtype::float32));
}
