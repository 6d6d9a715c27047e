// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found a lambda without one call operator of known types; write the types, a template or an overload set has none$
// rule: B2
// topic: kernels
// A kernel has types of its own, by which it is compared.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl<[](auto x) { return 2 * x; }>(twice, topbit::key::CPU);
#else
const auto kernels =
    topbit::library("toy").def(twice).impl<[](std::int64_t x) { return 2 * x; }>(twice, topbit::key::CPU);
#endif
