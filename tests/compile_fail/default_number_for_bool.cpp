// expect: error: static assertion failed: schema 'toy::sort\(float\[\] x, bool descending=1\) -> float\[\]', column 38: expected 'True' or 'False'$
// rule: G1
// topic: defaults
// The default of a bool is True or False.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::sort(float[] x, bool descending=1) -> float[]"> sort;
#else
inline constexpr topbit::op<"toy::sort(float[] x, bool descending=True) -> float[]"> sort;
#endif
