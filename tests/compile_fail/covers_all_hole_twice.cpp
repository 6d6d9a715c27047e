// expect: error: static assertion failed: toy::add: hole<op, key::CUDA> is declared, but more than once; take the declaration away$
// topic: sets
// A hole is declared once.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>);

#ifndef MENDED
static_assert(topbit::covers_all<topbit::operators<add>, topbit::keys<topbit::key::CPU, topbit::key::CUDA>, cpu,
                                 topbit::hole<add, topbit::key::CUDA>, topbit::hole<add, topbit::key::CUDA>>);
#else
static_assert(topbit::covers_all<topbit::operators<add>, topbit::keys<topbit::key::CPU, topbit::key::CUDA>, cpu,
                                 topbit::hole<add, topbit::key::CUDA>>);
#endif
