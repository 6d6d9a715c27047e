// expect: error: static assertion failed: toy::neg: the set has no kernel; add bind<op, &kernel> to it$
// topic: sets
// A set calls what is in it, and nothing else.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);

#ifndef FIXED
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);
#else
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<add, &add_cpu>, topbit::static_dispatch::bind<neg, &neg_cpu>);
#endif

double minus(double x) { return cpu.call<neg>(x); }
