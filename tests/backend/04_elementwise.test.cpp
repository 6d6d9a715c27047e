#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

// The CPU's results are compared with plain loops elsewhere, so here they are what the others have to agree with.
TEMPLATE_TEST_CASE("backend 04: elementwise operators agree with the CPU", "[backend][04_elementwise]", EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype t : {tb::dtype::int64, tb::dtype::float32, tb::dtype::float64}) {
    const double tolerance = support::tolerance_of(t == tb::dtype::int64 ? tb::dtype::float32 : t);
    for (support::arrangement how : support::arrangements) {
      const tb::tensor a = source.positive({4, 5}, t), b = source.positive({5}, t, how);
      const tb::tensor x = tb::to(a, where), y = tb::to(b, where), transposed = aten::transpose_int(x, 0, 1);
      rung::check(x + y, where, a + b, tolerance);
      rung::check(aten::sub_Tensor(x, y, tb::arg<"alpha"> = 2), where, aten::sub_Tensor(a, b, tb::arg<"alpha"> = 2),
                  tolerance);
      rung::check(x * y, where, a * b, tolerance);
      rung::check(x / y, where, a / b, tolerance);
      rung::check(-transposed, where, -aten::transpose_int(a, 0, 1));
      rung::check(aten::relu(x - 1), where, aten::relu(a - 1), tolerance);
      rung::check(aten::exp(transposed), where, aten::exp(aten::transpose_int(a, 0, 1)), tolerance);
      rung::check(aten::log(x), where, aten::log(a), tolerance);
      rung::check(aten::threshold_backward(x, x - 1, 0), where, aten::threshold_backward(a, a - 1, 0));
      rung::check(aten::lt_Tensor(x, y), where, aten::lt_Tensor(a, b));
      rung::check(aten::eq_Tensor(x, x), where, aten::eq_Tensor(a, a));
      rung::check(x + 2, where, a + 2, tolerance);
      tb::tensor c = aten::clone(a), z = aten::clone(x);
      z += y;
      c += b;
      rung::check(z, where, c, tolerance);
      z = aten::clone(aten::slice_Tensor(x, 1, 0, 4, 1)), c = aten::clone(aten::slice_Tensor(a, 1, 0, 4, 1));
      z += aten::transpose_int(z, 0, 1);
      c += aten::transpose_int(c, 0, 1);
      rung::check(z, where, c, tolerance);
    }
  }
}
