// expect: error: static assertion failed: toy::scale: argument 2 is given by position, after one by name$
// topic: calls
// What is given by position comes first.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

#ifndef FIXED
double result = scale(topbit::arg<"by"> = 3.0, 1.0);
#else
double result = scale(1.0, topbit::arg<"by"> = 3.0);
#endif
