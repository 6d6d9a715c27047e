// Gradients of what takes, puts and moves elements.
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

TEST_CASE("index gradients: select", "[gradients]") {
  check_gradients({"select", {{2, 3}}, [](in x) { return out{ops::select(x[0], 1, 2)}; }});
}
