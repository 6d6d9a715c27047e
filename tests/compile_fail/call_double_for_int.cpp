// expect: error: static assertion failed: toy::twice, argument 1 'n': 'int64_t' does not hold every 'double'; convert it with static_cast$
// topic: calls
// A call converts numbers only where nothing of them can be lost.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int n) -> int"> twice;

const double n = 2.5;

#ifndef FIXED
const std::int64_t result = twice(n);
#else
const std::int64_t result = twice(static_cast<std::int64_t>(n));
#endif
