// expect: error: static assertion failed: kernel for toy::scale: the schema has 1 argument, the kernel takes 2; its argument 2, 'bool', is one too many$
// rule: R13, R15
// topic: kernels
// A kernel takes what the schema has and nothing more.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

#ifndef FIXED
double scale_cpu(double x, bool exact);
#else
double scale_cpu(double x);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
