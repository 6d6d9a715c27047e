#include <catch2/catch_test_macros.hpp>

#define main logger_main
#include "layers/logger.cpp"
#undef main
import topbit;

// What it prints is compared where the example runs.
TEST_CASE("logger: the depth is restored after a call and after an exception", "[layers][logger]") {
  const tb::tensor a = tb::from_values<float>({1, 2}, {1, 2});
  const tb::include_guard logging(logger::own_key);
  tb::aten::t(a);
  CHECK(logger::depth == 0);
  CHECK_THROWS_AS(tb::aten::matmul(a, a), tb::shape_error);
  CHECK(logger::depth == 0);
}
