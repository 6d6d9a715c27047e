// Registers in every way there is: a library with a kernel, a layer over an operator of the host, a fallback, rows, a
// name for a backend, a listener, a process-wide layer, and something it takes back while it is still being loaded.
#include "host_ops.h"

namespace {

using host::item;
namespace key = topbit::key;

int area_cpu(const item& i) { return i.n * i.n; }
int twice_layer(topbit::key_set keys, const item& i) {
  return 100 + host::twice.redispatch(keys & topbit::below(key::Tracer), i);
}
int twice_npu(const item& i) { return 2000 + i.n; }
void pass_on(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s) {
  op.redispatch_boxed(keys & topbit::below(key::UserTop1), s);
}

constexpr topbit::author::kernel_row rows[] = {
    topbit::author::row<&twice_npu>(host::twice, key::PrivateUse3),
};

int heard = 0;

const auto block = topbit::library("plug").def(host::area).impl<&area_cpu>(host::area, key::CPU);
auto layer = topbit::implement("host").impl<&twice_layer>(host::twice, key::Tracer);
const auto fallback = topbit::fallback<&pass_on>(key::UserTop1);
const auto tracer = topbit::fallthrough(key::Tracer);
const auto name = topbit::name_backend(topbit::backend::PrivateUse3, "Npu");
const auto always = topbit::registry::process().include_always(key::Tracer);
const auto listener = topbit::registry::process().listen([](const topbit::registry_event&) { ++heard; });
const int other = [] {
  topbit::author::register_rows(rows);
  const auto passing = topbit::fragment("plug").def(host::never);
  return 0;
}();

}  // namespace

extern "C" int events_heard() { return heard; }
extern "C" void drop_layer() { layer.reset(); }
extern "C" int call_area(int n) { return host::area(item{key::CPU, n}); }
