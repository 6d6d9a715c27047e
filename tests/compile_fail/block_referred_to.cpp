// expect: error: temporary bound to local reference 'kernels' will be destroyed at the end of the full-expression \[-Werror,-Wdangling\]$
// rule: D1
// topic: registering
// A chain hands its own block through, so it is moved into a variable and not referred to. (A warning, here an error.)
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
void register_kernels() {
#ifndef FIXED
  const auto& kernels = topbit::library("toy").def(twice).impl<&twice_cpu>(twice, topbit::key::CPU);
#else
  const auto kernels = topbit::library("toy").def(twice).impl<&twice_cpu>(twice, topbit::key::CPU);
#endif
}
