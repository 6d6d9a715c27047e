#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEMPLATE_TEST_CASE("backend 08: optimizer steps, counted on the host and on the device", "[backend][08_step]",
                   rung::cpu, rung::npu, rung::cuda) {
  const tb::device where = TestType::need();
  const auto stepped = [](tb::device d, bool capturable) {
    const tb::tensor p = tb::require_grad(tb::to(support::tensor_of({1, -2, 3}, {3}, tb::dtype::float32), d));
    tb::adamw optimizer({p}, {.learning_rate = 0.1, .capturable = capturable});
    for (int i = 0; i < 3; ++i) {
      optimizer.zero_grad();
      tb::backward(aten::sum(p * p * p));
      optimizer.step();
    }
    CHECK(optimizer.steps() == 3);
    return tb::detach(p);
  };
  const tb::tensor wanted = stepped(tb::cpu, false);
  rung::check(stepped(where, false), where, wanted, 1e-6);
  rung::check(stepped(where, true), where, wanted, 1e-6);
}
