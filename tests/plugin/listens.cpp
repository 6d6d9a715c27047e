// Listens, and counts what it hears where its host can see it.
#include "host_ops.h"

namespace {

int heard = 0;
const auto listener = topbit::registry::process().listen([](const topbit::registry_event&) { ++heard; });
#ifdef LISTENS_AND_CONFLICTS
inline constexpr topbit::op<"host::twice", double(const host::item&)> other_twice;
const auto conflict = topbit::fragment("host").def(other_twice);
#endif

}  // namespace

extern "C" int events_heard() { return heard; }
