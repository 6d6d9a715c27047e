// expect: error: call to deleted member function 'impl': wanted an operator, then a key: impl<&kernel>\(op, key\)$
// topic: registering
// A kernel is registered for an operator, and the key comes behind it.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
#ifndef FIXED
const auto kernels = topbit::implement("toy").impl<&twice_cpu>(topbit::key::CPU, twice);
#else
const auto kernels = topbit::implement("toy").impl<&twice_cpu>(twice, topbit::key::CPU);
#endif
