// expect: error: static assertion failed: kernel for toy::clamp, argument 2 'most': the schema needs 'std::optional<double>', the kernel takes 'double'; with '\?' it may be absent, so take the std::optional$
// rule: R15
// topic: kernels
// An argument with '?' may be absent, and a kernel must be able to see that.
#include <optional>
import topbit.core;

inline constexpr topbit::op<"toy::clamp(float x, float? most=None) -> float"> clamp;

#ifndef FIXED
double clamp_cpu(double x, double most);
#else
double clamp_cpu(double x, std::optional<double> most);
#endif
const auto kernels = topbit::library("toy").def(clamp).impl<&clamp_cpu>(clamp, topbit::key::CPU);
