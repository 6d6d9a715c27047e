// expect: error: static assertion failed: kernel for toy::scale, argument 1 'x': the schema needs 'double', the kernel takes 'float'; a float of a schema is double$
// rule: B7
// topic: kernels
// A schema's float is double, whatever its name says.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

#ifndef FIXED
double scale_cpu(float x);
#else
double scale_cpu(double x);
#endif
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
