// expect: error: static assertion failed: covers: wanted a kernel set first, then operators$
// topic: sets
// The set is asked about operators, so it comes first.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers<add, cpu>);
#else
static_assert(topbit::static_dispatch::covers<cpu, add>);
#endif
