// expect: error: static assertion failed: toy::add: bound twice for CPU; leave one out, or use override_with\(base, set\)$
// topic: sets
// An operator has one kernel for a key.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);
double add_fast(double a, double b);

#ifndef FIXED
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<add, &add_cpu>, topbit::static_dispatch::bind<neg, &neg_cpu>,
    topbit::static_dispatch::bind<add, &add_fast>);
#else
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<neg, &neg_cpu>, topbit::static_dispatch::bind<add, &add_fast>);
#endif
