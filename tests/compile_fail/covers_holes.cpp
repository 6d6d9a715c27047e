// expect: error: static assertion failed: toy::add: no kernel for CPU, the first of 2 that are missing; add bind<op, &kernel> to kernels<key::CPU>\(\)$
// topic: sets
// Of several holes, the first one is named and all are counted.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::mul(float a, float b) -> float"> mul;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double mul_cpu(double a, double b);
double neg_cpu(double a);

#ifndef FIXED
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<mul, &mul_cpu>);
#else
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<add, &add_cpu>, topbit::static_dispatch::bind<mul, &mul_cpu>,
    topbit::static_dispatch::bind<neg, &neg_cpu>);
#endif

static_assert(topbit::static_dispatch::covers<cpu, add, mul, neg>);
