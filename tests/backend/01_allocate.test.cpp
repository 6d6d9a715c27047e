#include "devices.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEMPLATE_TEST_CASE("backend 01: memory is allocated, shared by views and freed", "[backend][01_allocate]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  for (tb::dtype t : support::dtypes) {
    tb::tensor x = aten::empty_memory_format(rung::sizes{2, 3}, tb::arg<"dtype"> = t, tb::arg<"device"> = where);
    CHECK(x.device() == where);
    CHECK(x.dtype() == t);
    CHECK((x.data() == nullptr) == (where == tb::meta));
    CHECK(x.keys() == tb::keys_of(tb::layout::strided, where, t));
    tb::tensor view = aten::transpose_int(x, 0, 1);
    const tb::tensor apart = tb::detach(view);
    x = {};
    CHECK(tb::author::record_of(apart).data->references == 3);  // a view keeps the tensor that it shows
    view = {};
    CHECK(tb::author::record_of(apart).data->references == 1);
  }
  CHECK(aten::empty_memory_format(rung::sizes{0, 3}, tb::arg<"device"> = where).data() == nullptr);
  for (int i = 0; i < 1000; ++i)
    aten::empty_memory_format(rung::sizes{1 << 20}, tb::arg<"device"> = where);  // 4 GB if none came back
}
