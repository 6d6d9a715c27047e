// expect: error: static assertion failed: toy::add: found 'int', wanted something to call it by: the operator, 'dispatched', a kernel set or a layered one$
// topic: sets
// Generic code is given something that can call the operator.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

#ifndef FIXED
double twice(double x) { return topbit::static_dispatch::call<add>(2, x, x); }
#else
double twice(double x) { return topbit::static_dispatch::call<add>(topbit::static_dispatch::dispatched, x, x); }
#endif
