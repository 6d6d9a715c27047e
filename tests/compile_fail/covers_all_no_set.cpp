// expect: error: static assertion failed: covers_all: wanted kernel sets and hole<op, key> after the keys$
// topic: sets
// What covers an application are kernel sets.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, add_cpu>);
#else
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, cpu>);
#endif
