#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::dtype;
using tb::tensor;
using tb::to_string;

TEST_CASE("print: values in nested brackets, then what the tensor is", "[tensor][print]") {
  CHECK(to_string(tb::from_values({1.0F, 2.5F, -3.0F, 0.1F}, {2, 2})) == "[[1, 2.5], [-3, 0.1]] (float32 [2, 2])");
  CHECK(to_string(tb::from_values({0.1, 1e300}, {2})) == "[0.1, 1e+300] (float64 [2])");
  CHECK(to_string(tb::from_values<std::int64_t>({std::numeric_limits<std::int64_t>::min()}, {1})) ==
        "[-9223372036854775808] (int64 [1])");
  CHECK(to_string(tb::from_values({true, false}, {2, 1})) == "[[true], [false]] (bool [2, 1])");
  CHECK(to_string(tb::from_values({7.0F}, {})) == "7 (float32 [])");
  CHECK(to_string(tb::from_values(
            {-0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}, {3})) ==
        "[-0, inf, nan] (float32 [3])");
}

TEST_CASE("print: empty dimensions show where they are", "[tensor][print]") {
  CHECK(to_string(tb::from_values<float>({}, {0})) == "[] (float32 [0])");
  CHECK(to_string(tb::from_values<float>({}, {2, 0})) == "[[], []] (float32 [2, 0])");
  CHECK(to_string(tb::from_values<float>({}, {0, 2})) == "[] (float32 [0, 2])");
}

TEST_CASE("print: follows strides", "[tensor][print]") {
  const tensor t = tb::from_values<std::int64_t>({0, 1, 2, 3, 4, 5}, {2, 3});
  CHECK(to_string(tb::author::make_view(t, {3, 2}, {1, 3}, 0)) == "[[0, 3], [1, 4], [2, 5]] (int64 [3, 2])");
  CHECK(to_string(tb::author::make_view(t, {2}, {0}, 4)) == "[4, 4] (int64 [2])");
}

TEST_CASE("print: a long dimension shows three elements at each end", "[tensor][print]") {
  CHECK(to_string(tb::ops::arange(6)) == "[0, 1, 2, 3, 4, 5] (int64 [6])");
  CHECK(to_string(tb::ops::arange(7)) == "[0, 1, 2, ..., 4, 5, 6] (int64 [7])");
  CHECK(to_string(tb::ops::arange(1000)) == "[0, 1, 2, ..., 997, 998, 999] (int64 [1000])");
  CHECK(to_string(tb::ops::zeros(std::vector<std::int64_t>{100, 1})) ==
        "[[0], [0], [0], ..., [0], [0], [0]] (float32 [100, 1])");
}

TEST_CASE("print: without values to read, only what the tensor is", "[tensor][print]") {
  CHECK(to_string(tensor()) == "undefined tensor");
  CHECK(to_string(tb::author::make_tensor({2, 3}, dtype::float32, tb::meta)) == "(float32 [2, 3] on meta)");
  CHECK(to_string(tb::author::make_opaque({2}, dtype::int64, {tb::backend::PrivateUse1, 1}, {})) ==
        "(int64 [2] on privateuse1:1)");
}
