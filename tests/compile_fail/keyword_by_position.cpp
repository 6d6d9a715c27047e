// expect: error: static assertion failed: toy::scale, argument 2 'by': given by position, but it is keyword-only; write arg<"by"> = \.\.\.$
// topic: calls
// What stands behind the '*' of a schema is given by name.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, *, float by=2, float offset=0) -> float"> scale;

#ifndef FIXED
double result = scale(1.0, 3.0);
#else
double result = scale(1.0, topbit::arg<"by"> = 3.0);
#endif
