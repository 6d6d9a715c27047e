// expect: error: static assertion failed: toy::half, argument 1 'x': 'double' does not hold every 'int64_t'; convert it with static_cast$
// topic: calls
// A double holds every int, but not every std::int64_t.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::half(float x) -> float"> half;

const std::int64_t count = 9;

#ifndef FIXED
const double result = half(count);
#else
const double result = half(static_cast<double>(count));
#endif
