// expect: error: static assertion failed: schema 'toy::scale\(float x, float by=1e\) -> float', column 32: expected a digit of the exponent$
// rule: G1
// topic: schemas
// Half a number is no number.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::scale(float x, float by=1e) -> float"> scale;
#else
inline constexpr topbit::op<"toy::scale(float x, float by=1e0) -> float"> scale;
#endif
