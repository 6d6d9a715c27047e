// expect: error: static assertion failed: toy::add: the set has no kernel for CUDA, only for CPU; add bind<op, &kernel> to it$
// topic: sets
// A set calls its kernels for the keys they are bound for.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
double twice(double x) { return cpu.call<add, topbit::key::CUDA>(x, x); }
#else
double twice(double x) { return cpu.call<add, topbit::key::CPU>(x, x); }
#endif
