// expect: error: static assertion failed: schema 'toy::roll\(int x=1\.5\) -> int', column 17: expected an integer or 'Mean'$
// rule: G1
// topic: defaults
// The default of an int is an integer.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::roll(int x=1.5) -> int"> roll;
#else
inline constexpr topbit::op<"toy::roll(int x=1) -> int"> roll;
#endif
