// expect: error: static assertion failed: toy::add: more than one of these sets has a kernel for CPU; leave one out, or use override_with\(base, set\)$
// topic: sets
// The sets of an application can be installed together, so each kernel has its place to itself.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
double add_fast(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);
inline constexpr auto fast =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_fast>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, cpu, fast>);
#else
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>,
                                                  topbit::static_dispatch::override_with(cpu, fast)>);
#endif
