// expect: error: static assertion failed: toy::add: hole<op, key::CPU> is declared, but there is a kernel for it; take the declaration away$
// topic: sets
// A declared hole that has been filled is declared no longer.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>);

#ifndef MENDED
static_assert(topbit::covers_all<topbit::operators<add>, topbit::keys<topbit::key::CPU>, cpu,
                                 topbit::hole<add, topbit::key::CPU>>);
#else
static_assert(topbit::covers_all<topbit::operators<add>, topbit::keys<topbit::key::CPU>, cpu>);
#endif
