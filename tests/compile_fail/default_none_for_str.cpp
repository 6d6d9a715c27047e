// expect: error: static assertion failed: schema 'toy::open\(str path, str mode=None\) -> int', column 30: expected a string in quotes$
// rule: G1
// topic: defaults
// None is the default of what is optional.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::open(str path, str mode=None) -> int"> open;
#else
inline constexpr topbit::op<"toy::open(str path, str? mode=None) -> int"> open;
#endif
