// expect: error: static assertion failed: toy::scale, argument 2 'by': missing, and it has no default$
// topic: calls
// An argument without a default cannot be left out.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

#ifndef FIXED
double result = scale(1.0);
#else
double result = scale(1.0, 3.0);
#endif
