// expect: error: static assertion failed: toy::neg: there is no kernel to override for CPU; add one with unite\(base, set\)$
// topic: sets
// An override takes the place of a kernel that is there, as replace() does.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>);
inline constexpr auto more = topbit::kernels<topbit::key::CPU>(topbit::bind<neg, &neg_cpu>);

#ifndef MENDED
inline constexpr auto all = topbit::override_with(cpu, more);
#else
inline constexpr auto all = topbit::unite(cpu, more);
#endif
