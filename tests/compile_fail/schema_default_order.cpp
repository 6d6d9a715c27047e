// expect: error: static assertion failed: schema 'toy::scale\(float by=2, float x\) -> float', column 30: expected a default, since an argument before this one has one$
// rule: G1
// topic: schemas
// After an argument with a default, every argument that is given by position has one.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::scale(float by=2, float x) -> float"> scale;
#else
inline constexpr topbit::op<"toy::scale(float x, float by=2) -> float"> scale;
#endif
