// Registers from topbit_load() and not from static objects.
#include <optional>

#include "host_ops.h"

namespace {

#ifndef AREA_FACTOR
#  define AREA_FACTOR 7
#endif
int area_cpu(const host::item& i) { return AREA_FACTOR * i.n; }
std::optional<topbit::library_block> block;

}  // namespace

extern "C" void topbit_load() {
  block = topbit::library("plug").def(host::area).impl<&area_cpu>(host::area, topbit::key::CPU);
}
