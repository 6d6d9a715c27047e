// expect: error: call to deleted function 'implement': the namespace comes first: implement\("ns", key\)$
// topic: registering
// A block is made for a namespace, and the key comes behind it.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
#ifndef FIXED
const auto kernels = topbit::implement(topbit::key::CPU, "toy").impl<&twice_cpu>(twice);
#else
const auto kernels = topbit::implement("toy", topbit::key::CPU).impl<&twice_cpu>(twice);
#endif
