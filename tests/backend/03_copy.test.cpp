#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;

TEMPLATE_TEST_CASE("backend 03: copies to the device, on it, and back, converting", "[backend][03_copy]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  support::numbers source(1);
  for (tb::dtype from : support::dtypes) {
    for (support::arrangement how : support::arrangements) {
      const tb::tensor host = source.tensor({2, 3}, from, how);
      const tb::tensor there = tb::to(host, where);
      rung::check(there, where, host);
      rung::check(aten::clone(aten::transpose_int(there, 0, 1)), where, aten::transpose_int(host, 0, 1));
      for (tb::dtype to : support::dtypes) {
        rung::check(tb::to(there, to), where, tb::to(host, to));
        tb::tensor wide = aten::zeros(rung::sizes{2, 2, 3}, tb::arg<"dtype"> = to, tb::arg<"device"> = where);
        aten::copy_(wide, there);
        rung::check(wide, where, aten::expand(tb::to(host, to), rung::sizes{2, 2, 3}));
      }
    }
  }
}

TEMPLATE_TEST_CASE("backend 03: a tensor is printed with its values, wherever they are", "[backend][03_copy]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  const tb::tensor there = tb::to(aten::reshape(aten::arange(6), rung::sizes{2, 3}), where);
  const std::string on = where == tb::cpu ? "" : " on " + to_string(where);
  CHECK(to_string(there, {.one_line = true}) ==
        (where == tb::meta ? "" : std::string("[[0, 1, 2], [3, 4, 5]] ")) + "(int64 [2, 3]" + on + ")");
}
