// expect: error: static assertion failed: toy::scale: argument 'by' is given twice$
// topic: calls
// A keyword is given once.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

#ifndef FIXED
double result = scale(1.0, topbit::arg<"by"> = 3.0, topbit::arg<"by"> = 4.0);
#else
double result = scale(1.0, topbit::arg<"by"> = 4.0);
#endif
