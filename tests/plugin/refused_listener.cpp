// Listens, and is refused: what it would hear, it must not.
#include <cstdlib>

#include "host_ops.h"

namespace {

inline constexpr topbit::op<"host::twice", double(const host::item&)> other_twice;
const auto listener = topbit::registry::process().listen(
    [](const topbit::registry_event&) { setenv("TOPBIT_TEST_REFUSED_LISTENER", "heard", 1); });
const auto conflict = topbit::fragment("host").def(other_twice);

}  // namespace
