// expect: error: static assertion failed: kernel for toy::halve, argument 1 'x': the schema needs 'double', the kernel takes 'int64_t'$
// rule: R15
// topic: kernels
// A kernel for one operator registered for another is refused by the first argument that differs.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;
inline constexpr topbit::op<"toy::halve(float x) -> float"> halve;

std::int64_t twice_cpu(std::int64_t x);
double halve_cpu(double x);
#ifndef FIXED
const auto kernels = topbit::library("toy").impl<&twice_cpu>(halve, topbit::key::CPU);
#else
const auto kernels =
    topbit::library("toy").impl<&twice_cpu>(twice, topbit::key::CPU).impl<&halve_cpu>(halve, topbit::key::CPU);
#endif
