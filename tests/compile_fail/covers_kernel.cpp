// expect: error: static assertion failed: covers: wanted operators after the set, as topbit::op declares them$
// topic: sets
// A set is asked about operators, not about kernels.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers<cpu, &add_cpu>);
#else
static_assert(topbit::static_dispatch::covers<cpu, add>);
#endif
