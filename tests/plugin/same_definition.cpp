// Defines an operator that other images define too, alike or with another default.
#include "host_ops.h"

#ifndef SAME_SCHEMA
#  define SAME_SCHEMA "both::scaled(int n, int by=2) -> int"
#endif

namespace {

inline constexpr topbit::op<SAME_SCHEMA> scaled;
const auto block = topbit::fragment("both").def(scaled);

}  // namespace
