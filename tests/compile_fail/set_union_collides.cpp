// expect: error: static assertion failed: toy::add: more than one of these sets has a kernel for CPU; leave one out, or use override_with\(base, set\)$
// topic: sets
// Which of two kernels is meant is said, not guessed.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);
double add_fast(double a, double b);
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<add, &add_cpu>, topbit::static_dispatch::bind<neg, &neg_cpu>);
inline constexpr auto fast =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_fast>);

#ifndef FIXED
inline constexpr auto all = cpu | fast;
#else
inline constexpr auto all = topbit::static_dispatch::override_with(cpu, fast);
#endif
