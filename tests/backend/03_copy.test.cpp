#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace ops = topbit::ops;
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
      rung::check(ops::clone(ops::transpose(there, 0, 1)), where, ops::transpose(host, 0, 1));
      for (tb::dtype to : support::dtypes) {
        rung::check(tb::to(there, to), where, tb::to(host, to));
        tb::tensor wide = ops::zeros(rung::sizes{2, 2, 3}, tb::arg<"dtype"> = to, tb::arg<"device"> = where);
        ops::copy_(wide, there);
        rung::check(wide, where, ops::expand(tb::to(host, to), rung::sizes{2, 2, 3}));
      }
    }
  }
}
