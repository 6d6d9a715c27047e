// expect: error: static assertion failed: toy::add: hole<op, key::CUDA> is declared, but more than once; remove the declaration$
// topic: sets
// A hole is declared once.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);

#ifndef FIXED
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU, topbit::key::CUDA>,
                                                  cpu, topbit::static_dispatch::hole<add, topbit::key::CUDA>,
                                                  topbit::static_dispatch::hole<add, topbit::key::CUDA>>);
#else
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU, topbit::key::CUDA>,
                                                  cpu, topbit::static_dispatch::hole<add, topbit::key::CUDA>>);
#endif
