// expect: error: static assertion failed: toy::sum, argument 1: found 'const std::vector<int>&', wanted 'std::span<const T>'$
// rule: B7
// topic: types
// A list travels as a view; a call need not own what it reads.
#include <span>
#include <vector>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::sum", int(const std::vector<int>&)> sum;
#else
inline constexpr topbit::op<"toy::sum", int(std::span<const int>)> sum;
#endif

int call(const std::vector<int>& x) { return sum(x); }
