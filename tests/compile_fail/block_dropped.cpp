// expect: error: ignoring return value of function declared with 'nodiscard' attribute: taken back at once \[-Werror,-Wunused-result\]$
// rule: D1
// topic: registering
// A block that nobody keeps takes its registrations back at the end of the statement. (A warning, here an error.)
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
void register_kernels() {
#ifndef FIXED
  topbit::library("toy").def(twice).impl<&twice_cpu>(twice, topbit::key::CPU);
#else
  topbit::library("toy").def(twice).impl<&twice_cpu>(twice, topbit::key::CPU).keep();
#endif
}
