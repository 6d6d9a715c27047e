// expect: error: static assertion failed: toy::fill, argument 1: found 'std::span<int>', wanted 'std::vector<T>&'$
// rule: B7
// A copy of a view that writes would write to the lender's elements.
#include <span>

import topbit.core;

inline constexpr topbit::op<"toy::fill", void(std::span<int>)> fill;

void call(std::span<int> x) { fill(x); }
