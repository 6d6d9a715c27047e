// expect: error: static assertion failed: toy::scale: argument 'by' is given by a variable, and its value may be gone; write arg<"by"> = \.\.\. in the call$
// topic: calls
// A keyword argument refers to its value, so it is written in the call.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

double result() {
  const double three = 3.0;
#ifndef FIXED
  const auto by = topbit::arg<"by"> = three;
  return scale(1.0, by);
#else
  return scale(1.0, topbit::arg<"by"> = three);
#endif
}
