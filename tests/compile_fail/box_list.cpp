// expect: error: static assertion failed: toy::look, argument 2: found 'std::span<const std::unique_ptr<int>>', wanted a type that can be copied, or a reference to write to; specialise topbit::boxed_type for it, with copy\(\)$
// rule: B7
// topic: types
// A list is copied element by element.
#include <memory>
#include <span>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::look", void(int, std::span<const std::unique_ptr<int>>)> look;

void call(std::span<const std::unique_ptr<int>> x) { look(1, x); }
#else
inline constexpr topbit::op<"toy::look", void(int, std::span<const std::shared_ptr<int>>)> look;

void call(std::span<const std::shared_ptr<int>> x) { look(1, x); }
#endif
