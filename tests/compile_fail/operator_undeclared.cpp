// expect: error: use of undeclared identifier 'thrice'; did you mean 'twice'\?$
// topic: registering
// An operator is declared before a kernel can be registered for it.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
#ifndef FIXED
const auto kernels = topbit::implement("toy").impl<&twice_cpu>(thrice, topbit::key::CPU);
#else
const auto kernels = topbit::implement("toy").impl<&twice_cpu>(twice, topbit::key::CPU);
#endif
