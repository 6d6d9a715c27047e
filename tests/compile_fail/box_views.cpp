// expect: error: static assertion failed: toy::read, argument 2: found 'std::span<const std::string_view>', wanted elements that own what they show, as those of 'std::span<const std::string>' do$
// rule: B7
// A copy of a list would own the views, and not what they view.
#include <span>
#include <string_view>

import topbit.core;

inline constexpr topbit::op<"toy::read", void(int, std::span<const std::string_view>)> read;

void call(std::span<const std::string_view> x) { read(1, x); }
