// expect: error: static assertion failed: toy::add: no kernel for CUDA, the first of 2 that are missing; add bind<op, &kernel> to kernels<key::CUDA>\(\), or declare hole<op, key::CUDA>$
// topic: sets
// An application has a kernel for every operator and key, but for the holes that it declares.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;
inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double add_cpu(double a, double b);
double neg_cpu(double a);
inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<add, &add_cpu>, topbit::static_dispatch::bind<neg, &neg_cpu>);

#ifndef FIXED
static_assert(
    topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add, neg>,
                                        topbit::static_dispatch::keys<topbit::key::CPU, topbit::key::CUDA>, cpu>);
#else
static_assert(topbit::static_dispatch::covers_all<topbit::static_dispatch::operators<add, neg>,
                                                  topbit::static_dispatch::keys<topbit::key::CPU, topbit::key::CUDA>,
                                                  cpu, topbit::static_dispatch::hole<add, topbit::key::CUDA>,
                                                  topbit::static_dispatch::hole<neg, topbit::key::CUDA>>);
#endif
