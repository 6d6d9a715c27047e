#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace ops = topbit::ops;

// The CPU's results are compared with plain loops elsewhere, so here they are what the others have to agree with.
TEMPLATE_TEST_CASE("backend 04: elementwise operators agree with the CPU", "[backend][04_elementwise]", EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype t : {tb::dtype::int64, tb::dtype::float32, tb::dtype::float64}) {
    const double tolerance = support::tolerance_of(t == tb::dtype::int64 ? tb::dtype::float32 : t);
    for (support::arrangement how : support::arrangements) {
      const tb::tensor a = source.positive({4, 5}, t), b = source.positive({5}, t, how);
      const tb::tensor x = tb::to(a, where), y = tb::to(b, where), turned = ops::transpose(x, 0, 1);
      rung::check(x + y, where, a + b, tolerance);
      rung::check(ops::sub(x, y, tb::arg<"alpha"> = 2), where, ops::sub(a, b, tb::arg<"alpha"> = 2), tolerance);
      rung::check(x * y, where, a * b, tolerance);
      rung::check(x / y, where, a / b, tolerance);
      rung::check(-turned, where, -ops::transpose(a, 0, 1));
      rung::check(ops::relu(x - 1), where, ops::relu(a - 1), tolerance);
      rung::check(ops::exp(turned), where, ops::exp(ops::transpose(a, 0, 1)), tolerance);
      rung::check(ops::log(x), where, ops::log(a), tolerance);
      rung::check(ops::threshold_backward(x, x - 1, 0), where, ops::threshold_backward(a, a - 1, 0));
      rung::check(ops::lt(x, y), where, ops::lt(a, b));
      rung::check(ops::eq(x, x), where, ops::eq(a, a));
      rung::check(x + 2, where, a + 2, tolerance);
      tb::tensor c = ops::clone(a), z = ops::clone(x);
      z += y;
      c += b;
      rung::check(z, where, c, tolerance);
      z = ops::clone(ops::slice(x, 1, 0, 4, 1)), c = ops::clone(ops::slice(a, 1, 0, 4, 1));
      z += ops::transpose(z, 0, 1);
      c += ops::transpose(c, 0, 1);
      rung::check(z, where, c, tolerance);
    }
  }
}
