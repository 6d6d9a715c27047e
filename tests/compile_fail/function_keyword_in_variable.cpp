// expect: error: static assertion failed: toy::total: argument 'twice' is given by a variable, and its value may be gone; write arg<"twice"> = \.\.\. in the call$
// topic: functions
// The same of a function whose list is in braces.
import topbit.core;

inline constexpr topbit::op<"toy::total(float x, int[] of=[], bool twice=False) -> float"> total_of;
inline constexpr topbit::overloads<total_of> total;

double result() {
  const bool yes = true;
#ifndef FIXED
  const auto twice = topbit::arg<"twice"> = yes;
  return total(1.0, {1, 2}, twice);
#else
  return total(1.0, {1, 2}, topbit::arg<"twice"> = yes);
#endif
}
