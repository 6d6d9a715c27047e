// expect: error: static assertion failed: toy::add: hole<op, key::CPU> is declared, but there is a kernel for it; remove the declaration$
// topic: sets
// A declared hole that has been filled is declared no longer.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, cpu,
                                                  topbit::static_dispatch::hole<add, topbit::key::CPU>>);
#else
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, cpu>);
#endif
