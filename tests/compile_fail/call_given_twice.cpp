// expect: error: static assertion failed: toy::scale, argument 1 'x': given twice, by position and by name$
// topic: calls
// An argument is given by position or by name.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

#ifndef FIXED
double result = scale(1.0, topbit::arg<"x"> = 1.0);
#else
double result = scale(1.0, topbit::arg<"by"> = 1.0);
#endif
