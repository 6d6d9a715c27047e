// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found the member function 'int64_t \(doubler::\*\)\(int64_t\) const'; there is no object to call it on, make it static$
// rule: B2
// topic: kernels
// A kernel has no object to be called on.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
struct doubler {
  std::int64_t run(std::int64_t x) const { return 2 * x; }
};
const auto kernels = topbit::library("toy").def(twice).impl<&doubler::run>(twice, topbit::key::CPU);
#else
struct doubler {
  static std::int64_t run(std::int64_t x) { return 2 * x; }
};
const auto kernels = topbit::library("toy").def(twice).impl<&doubler::run>(twice, topbit::key::CPU);
#endif
