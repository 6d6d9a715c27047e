#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;

TEMPLATE_TEST_CASE("backend 02: fill, zero, ones, arange", "[backend][02_fill]", EVERY_DEVICE) {
  const tb::device where = TestType::need();
  for (tb::dtype t : support::dtypes) {
    const auto type = [&] { return tb::arg<"dtype"> = t; };
    rung::check(aten::full(rung::sizes{2, 2}, 1, type(), tb::arg<"device"> = where), where,
                tensor_of({1, 1, 1, 1}, {2, 2}, t));
    rung::check(aten::zeros(rung::sizes{3}, type(), tb::arg<"device"> = where), where, tensor_of({0, 0, 0}, {3}, t));
    rung::check(aten::ones(rung::sizes{}, type(), tb::arg<"device"> = where), where, tensor_of({1}, {}, t));
    rung::check(aten::ones(rung::sizes{0, 2}, type(), tb::arg<"device"> = where), where, tensor_of({}, {0, 2}, t));
    if (t != tb::dtype::boolean) {
      rung::check(aten::arange(4, type(), tb::arg<"device"> = where), where, tensor_of({0, 1, 2, 3}, {4}, t));
    }
    tb::tensor x = aten::zeros(rung::sizes{2, 3}, type(), tb::arg<"device"> = where);
    tb::tensor column = aten::slice_Tensor(x, 1, 1, 2, 1);
    aten::fill_Scalar_(column, 1);
    rung::check(x, where, tensor_of({0, 1, 0, 0, 1, 0}, {2, 3}, t));
  }
}
