// Takes back what it has just registered while it is being loaded, from a listener that hears of something else.
#include "host_ops.h"

namespace {

int area_cpu(const host::item& i) { return 5 * i.n; }
auto block = topbit::library("plug").def(host::area).impl<&area_cpu>(host::area, topbit::key::CPU);

topbit::registry own;
const auto listener = own.listen([](const topbit::registry_event&) { block.reset(); });
const auto elsewhere = topbit::library("host", own).def(host::twice);

}  // namespace
