// expect: error: static assertion failed: kernel for toy::power, argument 1 'x': the schema needs 'double', the kernel takes 'int64_t'; argument 2 and this one are exchanged$
// rule: R15
// topic: kernels
// Arguments have an order, which is the schema's.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::power(float x, int n) -> float"> power;

#ifndef FIXED
double power_cpu(std::int64_t n, double x);
#else
double power_cpu(double x, std::int64_t n);
#endif
const auto kernels = topbit::library("toy").def(power).impl<&power_cpu>(power, topbit::key::CPU);
