// A library that registers and that a plugin is linked to.
#include "host_ops.h"

namespace {
int area_cpu(const host::item& i) { return i.n; }
const auto block = topbit::library("plug").def(host::area).impl<&area_cpu>(host::area, topbit::key::CPU);
}  // namespace

extern "C" int library_answer() { return 42; }
