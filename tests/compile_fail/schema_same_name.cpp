// expect: error: static assertion failed: schema 'toy::add\(int x, int x\) -> int', column 21: expected a name that no other argument has$
// rule: G1
// topic: schemas
// Each argument has a name of its own.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::add(int x, int x) -> int"> add;
#else
inline constexpr topbit::op<"toy::add(int x, int y) -> int"> add;
#endif
