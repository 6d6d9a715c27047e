#include <optional>

#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace ops = topbit::ops;

TEMPLATE_TEST_CASE("backend 05: reductions and the classifier's loss agree with the CPU", "[backend][05_reduce]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype t : support::dtypes) {
    for (const tb::dims& sizes : {tb::dims{4, 5}, tb::dims{300, 3}, tb::dims{3, 300}, tb::dims{2, 0}, tb::dims{1, 1}}) {
      const tb::tensor a = source.tensor(sizes, t), x = tb::to(a, where);
      const double tolerance = 100 * support::tolerance_of(t);
      rung::check(ops::sum(x), where, ops::sum(a), tolerance);
      rung::check(tb::sum(x, {0}), where, tb::sum(a, {0}), tolerance);
      rung::check(tb::sum(x, {-1}, true), where, tb::sum(a, {-1}, true), tolerance);
      rung::check(ops::argmax(x, 0), where, ops::argmax(a, 0));
      if (a.numel() != 0)
        rung::check(ops::argmax(ops::transpose(x, 0, 1), 1, true), where,
                    ops::argmax(ops::transpose(a, 0, 1), 1, true));
      if (!tb::is_floating(t)) continue;
      rung::check(ops::mean(x), where, ops::mean(a), tolerance);
      rung::check(ops::log_softmax(x, 1), where, ops::log_softmax(a, 1), tolerance);
      rung::check(ops::log_softmax_backward(x, ops::log_softmax(x, 1), 1, t), where,
                  ops::log_softmax_backward(a, ops::log_softmax(a, 1), 1, t), tolerance);
      if (sizes[1] == 0) continue;
      const tb::tensor labels = ops::argmax(a, 1), there = tb::to(labels, where), g = support::tensor_of({2}, {}, t);
      rung::check(ops::nll_loss(x, there), where, ops::nll_loss(a, labels), tolerance);
      const tb::tensor total = support::tensor_of({static_cast<double>(sizes[0])}, {}, t);
      rung::check(ops::nll_loss_backward(tb::to(g, where), x, there, std::nullopt, 1, -100, tb::to(total, where)),
                  where, ops::nll_loss_backward(g, a, labels, std::nullopt, 1, -100, total), tolerance);
      if (where == tb::meta) continue;
      // A device tells who waits for it.
      const auto wrong = [&] {
        (void)ops::nll_loss(x, there + sizes[1]);
        if (where.type == tb::backend::CUDA) tb::synchronize(where);
      };
      CHECK_THROWS_AS(wrong(), tb::shape_error);
    }
  }
}
