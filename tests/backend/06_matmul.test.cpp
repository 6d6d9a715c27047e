#include <algorithm>

#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace native = topbit::native;

TEMPLATE_TEST_CASE("backend 06: matrix products and their gradients agree with the CPU", "[backend][06_matmul]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype t : {tb::dtype::float32, tb::dtype::float64}) {
    for (const tb::shape& s :
         {tb::shape{1, 1, 1}, tb::shape{17, 33, 9}, tb::shape{64, 64, 64}, tb::shape{3, 0, 2}, tb::shape{0, 3, 2}}) {
      const tb::tensor a = source.tensor({s[0], s[1]}, t), b = source.tensor({s[2], s[1]}, t);
      const tb::tensor x = tb::to(a, where), y = tb::to(b, where);
      const double tolerance = support::tolerance_of(t) * static_cast<double>(1 + 4 * s[1]);
      rung::check(aten::mm(x, aten::transpose_int(y, 0, 1)), where, aten::mm(a, aten::transpose_int(b, 0, 1)),
                  tolerance);
      for (const tb::tensor& leaf : {a, b, x, y}) tb::require_grad(leaf);
      tb::backward(aten::sum(aten::relu(aten::matmul(a, aten::t(b)))));
      tb::backward(aten::sum(aten::relu(aten::matmul(x, aten::t(y)))));
      rung::check(tb::leaf_grad(x), where, tb::leaf_grad(a), 100 * tolerance);
      rung::check(tb::leaf_grad(y), where, tb::leaf_grad(b), 100 * tolerance);
    }
  }
}

TEMPLATE_TEST_CASE(
    "backend 06: attention, in half precision directly or converted, and its gradients agree with the CPU",
    "[backend][06_matmul]", rung::cpu, rung::meta, rung::cuda) {
  const tb::device where = TestType::need();
  support::numbers source(2);
  for (tb::dtype t : {tb::dtype::float16, tb::dtype::bfloat16, tb::dtype::float32}) {
    const tb::tensor a = source.tensor({2, 3, 5, 8}, t), b = source.tensor({2, 3, 7, 8}, t),
                     c = source.tensor({2, 3, 7, 4}, t), added = source.tensor({5, 7}, t);
    const tb::tensor x = tb::to(a, where), y = tb::to(b, where), z = tb::to(c, where), mask = tb::to(added, where);
    const double tolerance = 8 * support::tolerance_of(t);
    rung::check(aten::scaled_dot_product_attention(x, y, z), where, aten::scaled_dot_product_attention(a, b, c),
                tolerance);
    rung::check(aten::scaled_dot_product_attention(x, y, z, mask), where,
                aten::scaled_dot_product_attention(a, b, c, added), tolerance);
    rung::check(aten::scaled_dot_product_attention(x, y, z, tb::arg<"is_causal"> = true), where,
                aten::scaled_dot_product_attention(a, b, c, tb::arg<"is_causal"> = true), tolerance);
    tb::trace_session trace = tb::trace_session::this_thread();
    (void)aten::scaled_dot_product_attention(x, y, z);
    trace.stop();
    const auto events = trace.events();
    const auto in_one_pass = [](const tb::inspect::trace_event& e) { return e.op == native::attend.name(); };
    CHECK(std::ranges::count_if(events, in_one_pass) >= 1);  // on the CPU too, for so few scores
    const auto converts = [](const tb::inspect::trace_event& e) { return e.op == "aten::_to_copy"; };
    CHECK(std::ranges::any_of(events, converts) == (where.type != tb::backend::CUDA && t != tb::dtype::float32));
    for (const tb::tensor& leaf : {a, b, c, x, y, z}) tb::require_grad(leaf);
    tb::backward(aten::sum(aten::scaled_dot_product_attention(a, b, c, added)));
    tb::backward(aten::sum(aten::scaled_dot_product_attention(x, y, z, mask)));
    rung::check(tb::leaf_grad(x), where, tb::leaf_grad(a), tolerance);
    rung::check(tb::leaf_grad(y), where, tb::leaf_grad(b), tolerance);
    rung::check(tb::leaf_grad(z), where, tb::leaf_grad(c), tolerance);
  }
}
