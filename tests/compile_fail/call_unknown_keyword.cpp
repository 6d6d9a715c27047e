// expect: error: static assertion failed: toy::scale: has no argument 'factor'$
// topic: calls
// A keyword is the name of an argument in the schema.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

#ifndef FIXED
double result = scale(1.0, topbit::arg<"factor"> = 3.0);
#else
double result = scale(1.0, topbit::arg<"by"> = 3.0);
#endif
