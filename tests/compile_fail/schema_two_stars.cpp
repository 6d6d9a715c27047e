// expect: error: static assertion failed: schema 'toy::scale\(float x, \*, float by=2, \*, float plus=0\) -> float', column 36: expected no second '\*'$
// rule: G1
// topic: schemas
// One '*' separates what is given by position from what is given by name.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::scale(float x, *, float by=2, *, float plus=0) -> float"> scale;
#else
inline constexpr topbit::op<"toy::scale(float x, *, float by=2, float plus=0) -> float"> scale;
#endif
