// expect: error: static assertion failed: toy::make, result: found 'std::unique_ptr<int>', wanted a type that can be copied; specialise topbit::boxed_type for it, with copy\(\)$
// rule: B7
// topic: types
// A result is boxed for a boxed caller, who may copy the value.
#include <memory>
#include <tuple>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::make", std::tuple<int, std::unique_ptr<int>>(int)> make;
#else
inline constexpr topbit::op<"toy::make", std::tuple<int, std::shared_ptr<int>>(int)> make;
#endif

void call() { make(1); }
