#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace ops = topbit::ops;

TEMPLATE_TEST_CASE("backend 06: products of matrices, and gradients through them, agree with the CPU",
                   "[backend][06_matmul]", EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype t : {tb::dtype::float32, tb::dtype::float64}) {
    for (const tb::dims& s :
         {tb::dims{1, 1, 1}, tb::dims{17, 33, 9}, tb::dims{64, 64, 64}, tb::dims{3, 0, 2}, tb::dims{0, 3, 2}}) {
      const tb::tensor a = source.tensor({s[0], s[1]}, t), b = source.tensor({s[2], s[1]}, t);
      const tb::tensor x = tb::to(a, where), y = tb::to(b, where);
      const double tolerance = support::tolerance_of(t) * static_cast<double>(1 + 4 * s[1]);
      rung::check(ops::mm(x, ops::transpose(y, 0, 1)), where, ops::mm(a, ops::transpose(b, 0, 1)), tolerance);
      for (const tb::tensor& leaf : {a, b, x, y}) tb::require_grad(leaf);
      tb::backward(ops::sum(ops::relu(ops::matmul(a, ops::t(b)))));
      tb::backward(ops::sum(ops::relu(ops::matmul(x, ops::t(y)))));
      rung::check(tb::grad(x), where, tb::grad(a), 100 * tolerance);
      rung::check(tb::grad(y), where, tb::grad(b), 100 * tolerance);
    }
  }
}
