// expect: error: static assertion failed: kernel: needs an operator, found 'int'; declare one with its types, topbit::op<"ns::name\(int x\) -> int">$
// topic: registering
// What is registered for is an operator.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
#ifndef FIXED
const auto kernels = topbit::implement("toy").impl<&twice_cpu>(2, topbit::key::CPU);
#else
const auto kernels = topbit::implement("toy").impl<&twice_cpu>(twice, topbit::key::CPU);
#endif
