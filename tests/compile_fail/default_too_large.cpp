// expect: error: static assertion failed: schema 'toy::clamp\(int x, int most=9223372036854775808\) -> int', column 28: expected a 64-bit integer$
// rule: G1
// topic: defaults
// An int has 64 bits, and so has its default.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::clamp(int x, int most=9223372036854775808) -> int"> clamp;
#else
inline constexpr topbit::op<"toy::clamp(int x, int most=9223372036854775807) -> int"> clamp;
#endif
