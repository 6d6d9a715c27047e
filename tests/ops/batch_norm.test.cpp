#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::tensor_of;
using support::values;
using tb::tensor;

TEST_CASE("batch_norm: training moves the running statistics, the variance that of a sample", "[ops][batch_norm]") {
  const tensor x = tensor_of({1, 10, 3, 10, 5, 10, 7, 10}, {4, 2});
  const tensor mean = tensor_of({0, 0}, {2}), var = tensor_of({1, 1}, {2});
  const tensor y = ops::batch_norm(x, std::nullopt, std::nullopt, mean, var, true, 0.5, 0.0, false);
  CHECK(support::difference(values(mean), {2, 5}, 1e-12) == "");
  CHECK(support::difference(values(var), {0.5 + 0.5 * 20 / 3, 0.5}, 1e-12) == "");
  CHECK(support::difference(values(ops::slice(y, 1, 0, 1)),
                            {-3 / std::sqrt(5.0), -1 / std::sqrt(5.0), 1 / std::sqrt(5.0), 3 / std::sqrt(5.0)},
                            1e-12) == "");
}

TEST_CASE("batch_norm: outside training the running statistics are used and stay", "[ops][batch_norm]") {
  const tensor x = tensor_of({1, 10, 3, 20}, {2, 2}), mean = tensor_of({1, 10}, {2}), var = tensor_of({4, 25}, {2});
  const tensor y =
      ops::batch_norm(x, tensor_of({2, 1}, {2}), tensor_of({0, 1}, {2}), mean, var, false, 0.5, 0.0, false);
  CHECK(support::difference(values(y), {0, 1, 2, 3}, 1e-12) == "");
  CHECK(values(mean) == std::vector<double>{1, 10});
  CHECK(mean.version() == 0);
}

TEST_CASE("batch_norm: what does not fit is refused before anything is written", "[ops][batch_norm]") {
  const tensor x = tensor_of({1, 2, 3, 4}, {2, 2}), mean = tensor_of({1, 2}, {2}), wrong = tensor_of({1}, {1});
  CHECK(toy::text_of<tb::shape_error>([&] {
          ops::batch_norm(x, std::nullopt, std::nullopt, mean, wrong, true, 0.5, 0.0, false);
        }) == "aten::batch_norm: found running_var [1] for input [2, 2], wanted [2]");
  CHECK(values(mean) == std::vector<double>{1, 2});
  CHECK(toy::text_of<tb::error>([&] { ops::group_norm(x, 3); }) ==
        "aten::group_norm: found 3 groups for input [2, 2], wanted a number that divides the channels");
}
