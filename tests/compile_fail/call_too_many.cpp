// expect: error: static assertion failed: toy::scale: found 3 arguments, wanted at most 2$
// topic: calls
// A call has at most as many arguments as the operator.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

#ifndef FIXED
double result = scale(1.0, 3.0, 0.0);
#else
double result = scale(1.0, 3.0);
#endif
