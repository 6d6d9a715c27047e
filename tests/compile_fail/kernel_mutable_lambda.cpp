// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found a lambda whose call operator is not const; remove 'mutable'$
// rule: B2
// topic: kernels
// Threads call one kernel at once, so it changes nothing of its own.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
const auto kernels =
    topbit::library("toy").def(twice).impl<[](std::int64_t x) mutable { return 2 * x; }>(twice, topbit::key::CPU);
#else
const auto kernels =
    topbit::library("toy").def(twice).impl<[](std::int64_t x) { return 2 * x; }>(twice, topbit::key::CPU);
#endif
