// Gradients of layers, losses and products.
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

TEST_CASE("network gradients: mm", "[gradients]") {
  check_gradients({"mm", {{2, 3}, {3, 2}}, [](in x) { return out{ops::mm(x[0], x[1])}; }});
}
