// expect: error: static assertion failed: kernel for toy::scale, argument 1 'x': the schema needs 'double', the kernel takes 'const double&'; take it by value$
// rule: R15
// topic: kernels
// Numbers are passed by value.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

#ifndef FIXED
double scale_cpu(const double& x);
#else
double scale_cpu(double x);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
