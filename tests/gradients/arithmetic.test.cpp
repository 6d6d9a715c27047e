// Gradients of operators of several tensors, element by element.
#include <catch2/catch_test_macros.hpp>
#include <span>
#include <utility>
#include <vector>

#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::check_gradients;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

TEST_CASE("arithmetic gradients: sums and products, broadcast", "[gradients]") {
  const std::vector<std::pair<tb::dims, tb::dims>> shapes{{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}}, {{}, {3}}};
  for (const auto& [a, b] : shapes) {
    check_gradients({"add", {a, b}, [](in x) { return out{ops::add(x[0], x[1], tb::arg<"alpha"> = 2)}; }});
    check_gradients({"mul", {a, b}, [](in x) { return out{x[0] * x[1]}; }});
    check_gradients({"div", {a, b}, [](in x) { return out{x[0] / x[1]}; }, 0.5, 2});
  }
}
