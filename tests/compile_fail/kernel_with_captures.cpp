// expect: error: no matching member function for call to 'impl'$
// note: candidate template ignored: invalid explicitly-specified argument for template parameter 'FunctionOrLambdaWithoutCaptures'$
// rule: B2
// topic: kernels
// A kernel is a compile-time constant, which a lambda with captures is not.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
void register_kernels(std::int64_t factor) {
  const auto kernels =
      topbit::library("toy").def(twice).impl<[factor](std::int64_t x) { return factor * x; }>(twice, topbit::key::CPU);
}
#else
void register_kernels() {
  const auto kernels =
      topbit::library("toy").def(twice).impl<[](std::int64_t x) { return 2 * x; }>(twice, topbit::key::CPU);
}
#endif
