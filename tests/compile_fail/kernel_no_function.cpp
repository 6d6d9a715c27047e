// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found 'int'$
// rule: B2
// topic: kernels
// Something that cannot be called is named as what it is.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl<42>(twice, topbit::key::CPU);
#else
const auto kernels =
    topbit::library("toy").def(twice).impl<[](std::int64_t) -> std::int64_t { return 42; }>(twice, topbit::key::CPU);
#endif
