// expect: error: static assertion failed: toy::add: no kernel for CUDA, the first of 2 that are missing; add bind<op, &kernel> to kernels<key::CUDA>\(\), or declare hole<op, key::CUDA>$
// topic: sets
// An application has a kernel for every operator and key, but for the holes that it declares.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<neg, &neg_cpu>);

#ifndef MENDED
static_assert(topbit::covers_all<topbit::operators<add, neg>, topbit::keys<topbit::key::CPU, topbit::key::CUDA>, cpu>);
#else
static_assert(topbit::covers_all<topbit::operators<add, neg>, topbit::keys<topbit::key::CPU, topbit::key::CUDA>, cpu,
                                 topbit::hole<add, topbit::key::CUDA>, topbit::hole<neg, topbit::key::CUDA>>);
#endif
