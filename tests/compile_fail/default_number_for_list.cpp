// expect: error: static assertion failed: schema 'toy::pad\(float x, int\[\] sides=1\) -> float', column 31: expected '\[', since the type is a list$
// rule: G1
// topic: defaults
// The default of a list is a list; only where the schema gives its size, one value stands for all.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::pad(float x, int[] sides=1) -> float"> pad;
#else
inline constexpr topbit::op<"toy::pad(float x, int[2] sides=1) -> float"> pad;
#endif
