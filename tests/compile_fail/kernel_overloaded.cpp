// expect: error: no matching member function for call to 'impl'$
// rule: B2
// topic: kernels
// An overloaded name is several functions; say which.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
double twice_cpu(double x);
#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl<&twice_cpu>(twice, topbit::key::CPU);
#else
const auto kernels = topbit::library("toy").def(twice).impl<static_cast<std::int64_t (*)(std::int64_t)>(&twice_cpu)>(
    twice, topbit::key::CPU);
#endif
