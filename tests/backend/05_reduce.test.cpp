#include <optional>

#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEMPLATE_TEST_CASE("backend 05: reductions and the classifier's loss agree with the CPU", "[backend][05_reduce]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype t : support::dtypes) {
    for (const tb::shape& sizes :
         {tb::shape{4, 5}, tb::shape{300, 3}, tb::shape{3, 300}, tb::shape{2, 0}, tb::shape{1, 1}}) {
      const tb::tensor a = source.tensor(sizes, t), x = tb::to(a, where);
      const double tolerance = 100 * support::tolerance_of(t);
      rung::check(aten::sum(x), where, aten::sum(a), tolerance);
      rung::check(tb::sum(x, {0}), where, tb::sum(a, {0}), tolerance);
      rung::check(tb::sum(x, {-1}, true), where, tb::sum(a, {-1}, true), tolerance);
      rung::check(aten::argmax(x, 0), where, aten::argmax(a, 0));
      if (a.numel() != 0)
        rung::check(aten::argmax(aten::transpose_int(x, 0, 1), 1, true), where,
                    aten::argmax(aten::transpose_int(a, 0, 1), 1, true));
      if (!tb::is_floating(t)) continue;
      rung::check(aten::mean(x), where, aten::mean(a), tolerance);
      rung::check(aten::log_softmax_int(x, 1), where, aten::log_softmax_int(a, 1), tolerance);
      rung::check(aten::_log_softmax_backward_data(x, aten::log_softmax_int(x, 1), 1, t), where,
                  aten::_log_softmax_backward_data(a, aten::log_softmax_int(a, 1), 1, t), tolerance);
      if (sizes[1] == 0) continue;
      const tb::tensor labels = aten::argmax(a, 1), there = tb::to(labels, where), g = support::tensor_of({2}, {}, t);
      rung::check(aten::nll_loss(x, there), where, aten::nll_loss(a, labels), tolerance);
      const tb::tensor total = support::tensor_of({static_cast<double>(sizes[0])}, {}, t);
      rung::check(aten::nll_loss_backward(tb::to(g, where), x, there, std::nullopt, 1, -100, tb::to(total, where)),
                  where, aten::nll_loss_backward(g, a, labels, std::nullopt, 1, -100, total), tolerance);
      if (where == tb::meta) continue;
      // A device tells who waits for it.
      const auto wrong = [&] {
        (void)aten::nll_loss(x, there + sizes[1]);
        if (where.type == tb::backend::CUDA) tb::synchronize(where);
      };
      CHECK_THROWS_AS(wrong(), tb::shape_error);
    }
  }
}
