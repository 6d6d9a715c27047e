// expect: error: static assertion failed: kernel for toy::scale, result: the schema needs 'double', the kernel returns 'void'$
// rule: R13, R15
// topic: kernels
// The result of a kernel is the operator's own.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

#ifndef FIXED
void scale_cpu(double x);
#else
double scale_cpu(double x);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
