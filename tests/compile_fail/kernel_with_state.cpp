// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found 'times' with captures or members; pass what it needs as arguments of the call$
// rule: B2
// topic: kernels
// What a kernel needs comes with the call and not from where it was registered.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
struct times {
  std::int64_t factor;
  constexpr std::int64_t operator()(std::int64_t x) const { return factor * x; }
};
const auto kernels = topbit::library("toy").def(twice).impl<times{2}>(twice, topbit::key::CPU);
#else
template <std::int64_t Factor>
std::int64_t times(std::int64_t x) {
  return Factor * x;
}
const auto kernels = topbit::library("toy").def(twice).impl<&times<2>>(twice, topbit::key::CPU);
#endif
