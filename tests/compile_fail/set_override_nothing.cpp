// expect: error: static assertion failed: toy::neg: there is no kernel to override for CPU; add one with merge\(base, set\)$
// topic: sets
// An override takes the place of a kernel that is there, as replace() does.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);
inline constexpr auto more =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<neg, &neg_cpu>);

#ifndef FIXED
inline constexpr auto all = topbit::static_dispatch::override_with(cpu, more);
#else
inline constexpr auto all = topbit::static_dispatch::merge(cpu, more);
#endif
