// expect: error: static assertion failed: kernel for toy::scale: takes the key set as 'const key_set&', it comes first and by value$
// rule: B2
// topic: kernels
// The key set is a word and is passed as one.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

#ifndef FIXED
double scale_cpu(const topbit::key_set& keys, double x);
#else
double scale_cpu(topbit::key_set keys, double x);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::Tracer);
