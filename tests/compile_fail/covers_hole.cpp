// expect: error: static assertion failed: toy::neg: no kernel for CPU; add bind<op, &kernel> to kernels<key::CPU>\(\)$
// topic: sets
// A hole in a set has the name of the operator and of the key.
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

static_assert(topbit::static_dispatch::covers<cpu, add, neg>);
