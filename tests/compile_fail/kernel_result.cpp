// expect: error: static assertion failed: kernel for toy::scale: the schema returns 'double', the kernel returns 'void'$
// rule: R13, R15
// The result of a kernel is the operator's own.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

void scale_cpu(double x);
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
