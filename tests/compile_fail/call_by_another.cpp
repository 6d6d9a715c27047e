// expect: error: static assertion failed: toy::add: cannot be called by toy::mul$
// topic: sets
// An operator is called by itself, and by no other operator.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::mul(float a, float b) -> float"> mul;

#ifndef FIXED
double twice(double x) { return topbit::static_dispatch::call<add>(mul, x, x); }
#else
double twice(double x) { return topbit::static_dispatch::call<add>(add, x, x); }
#endif
