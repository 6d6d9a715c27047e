// expect: error: static assertion failed: toy::look, argument 1: found 'const std::unique_ptr<int>&', wanted a type that can be copied, or a reference to write to; specialise topbit::boxed_type for it, with copy\(\)$
// rule: B7
// topic: types
// A boxed value can be copied, so what is in it must be.
#include <memory>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::look", void(const std::unique_ptr<int>&)> look;

void call(const std::unique_ptr<int>& x) { look(x); }
#else
inline constexpr topbit::op<"toy::look", void(const std::shared_ptr<int>&)> look;

void call(const std::shared_ptr<int>& x) { look(x); }
#endif
