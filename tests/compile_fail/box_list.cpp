// expect: error: static assertion failed: toy::read, argument 2: found 'std::span<const std::unique_ptr<int>>', wanted a type that can be copied, or a reference to write to; specialise topbit::boxed_type for it, with copy\(\)$
// rule: B7
// A list is copied element by element.
#include <memory>
#include <span>

import topbit.core;

inline constexpr topbit::op<"toy::read", void(int, std::span<const std::unique_ptr<int>>)> read;

void call(std::span<const std::unique_ptr<int>> x) { read(1, x); }
