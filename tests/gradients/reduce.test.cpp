// Gradients of reductions, and what is computed row by row.
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

TEST_CASE("reduce gradients: sum", "[gradients]") {
  check_gradients({"sum", {{2, 3}}, [](in x) { return out{ops::sum(x[0])}; }});
}
