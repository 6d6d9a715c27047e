// expect: error: static assertion failed: toy::read, argument 1: found 'const std::unique_ptr<int>&', wanted a type that can be copied, or a reference to write to; specialise topbit::boxed_type for it, with copy\(\)$
// rule: B7
// A boxed value can be copied, so what is in it must be.
#include <memory>

import topbit.core;

inline constexpr topbit::op<"toy::read", void(const std::unique_ptr<int>&)> read;

void call(const std::unique_ptr<int>& x) { read(x); }
