// Gradients of functions of one tensor.
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

TEST_CASE("unary gradients: exp, and in place", "[gradients]") {
  check_gradients({"exp", {{2, 3}}, [](in x) { return out{ops::exp(x[0])}; }});
  check_gradients({"exp_", {{2, 3}}, [](in x) {
                     tensor y = ops::clone(x[0]);
                     ops::exp_(y);
                     return out{y};
                   }});
}
