// Registers in a block that ends with topbit_load(), which throws until the host says otherwise.
#include <cstdlib>
#include <stdexcept>

#include "host_ops.h"

namespace {
int area_cpu(const host::item& i) { return 3 * i.n; }
}  // namespace

extern "C" void topbit_load() {
  auto block = topbit::library("plug").def(host::area).impl<&area_cpu>(host::area, topbit::key::CPU);
  if (std::getenv("TOPBIT_TEST_DEVICE") == nullptr) throw std::runtime_error("no device found");
  block.keep();
}
