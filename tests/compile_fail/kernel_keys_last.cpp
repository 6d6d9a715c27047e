// expect: error: static assertion failed: kernel for toy::scale: takes the key set as argument 2, it comes first$
// rule: B2
// topic: kernels
// The key set comes first, before the operator's arguments.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

#ifndef FIXED
double scale_cpu(double x, topbit::key_set keys);
#else
double scale_cpu(topbit::key_set keys, double x);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::Tracer);
