// expect: error: static assertion failed: toy::fill, argument 1: found 'std::span<int>', wanted 'std::vector<T>&'$
// rule: B7
// topic: types
// A copy of a view that writes would write to the lender's elements.
#include <span>
#include <vector>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::fill", void(std::span<int>)> fill;

void call(std::vector<int>& x) { fill(x); }
#else
inline constexpr topbit::op<"toy::fill", void(std::vector<int>&)> fill;

void call(std::vector<int>& x) { fill(x); }
#endif
