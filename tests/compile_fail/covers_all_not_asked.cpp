// expect: error: static assertion failed: toy::add: hole<op, key::CUDA> is declared, but is not among the operators and keys asked about; remove the declaration$
// topic: sets
// A hole is declared where a kernel is asked for.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, cpu,
                                                  topbit::static_dispatch::hole<add, topbit::key::CUDA>>);
#else
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU>, cpu>);
#endif
