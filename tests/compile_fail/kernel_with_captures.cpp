// expect: error: no matching member function for call to .impl.$
// rule: B2
// A kernel is a compile-time constant; what it needs comes with the call and not from where it was registered.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

void register_kernels(std::int64_t factor) {
  const auto kernels =
      topbit::library("toy").def(twice).impl<[factor](std::int64_t x) { return factor * x; }>(twice, topbit::key::CPU);
}
