// Loads the plugin that an environment variable names: from topbit_load(), or from an initialiser.
#include <cstdlib>

#include "host_ops.h"

namespace {

topbit::plugin inner;
#ifdef FROM_INITIALISER
const int loaded = (inner = topbit::load_plugin(std::getenv("TOPBIT_TEST_INNER")), 0);
#endif

}  // namespace

#ifndef FROM_INITIALISER
extern "C" void topbit_load() { inner = topbit::load_plugin(std::getenv("TOPBIT_TEST_INNER")); }
#endif
extern "C" void drop_inner() { inner.withdraw(); }
