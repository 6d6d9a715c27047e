// expect: error: static assertion failed: toy::add: the set has kernels for CPU, CUDA; say which, call<op, key>$
// topic: sets
// Where a set has several kernels of an operator, the call says for which key.
import topbit.core;

inline constexpr topbit::op<"toy::add(float a, float b) -> float"> add;

double add_cpu(double a, double b);
double add_cuda(double a, double b);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<add, &add_cpu>);
inline constexpr auto cuda =
    topbit::static_dispatch::kernels<topbit::key::CUDA>(topbit::static_dispatch::bind<add, &add_cuda>);
inline constexpr auto all = cpu | cuda;

#ifndef FIXED
double twice(double x) { return all.call<add>(x, x); }
#else
double twice(double x) { return all.call<add, topbit::key::CUDA>(x, x); }
#endif
