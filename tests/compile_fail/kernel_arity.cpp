// expect: error: static assertion failed: kernel for toy::scale: the schema has 2 arguments, the kernel takes 1; it lacks argument 2 'by'$
// rule: R13, R15
// topic: kernels
// A default in the schema belongs to callers; a kernel takes every argument.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by=2.0) -> float"> scale;

#ifndef FIXED
double scale_cpu(double x);
#else
double scale_cpu(double x, double by);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
