// expect: error: static assertion failed: toy::look, argument 2: found 'std::span<const std::string_view>', wanted elements that own what they show, as those of 'std::span<const std::string>' do$
// rule: B7
// topic: types
// A copy of a list would own the views, and not what they view.
#include <span>
#include <string>
#include <string_view>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::look", void(int, std::span<const std::string_view>)> look;

void call(std::span<const std::string_view> x) { look(1, x); }
#else
inline constexpr topbit::op<"toy::look", void(int, std::span<const std::string>)> look;

void call(std::span<const std::string> x) { look(1, x); }
#endif
