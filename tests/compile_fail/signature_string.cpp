// expect: error: static assertion failed: toy::name, argument 2: found 'const std::string&', wanted 'std::string_view'$
// rule: B7
// topic: types
// A string travels as a view, so that a boxed call need not make one.
#include <string>
#include <string_view>

import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::name", void(int, const std::string&)> name;
#else
inline constexpr topbit::op<"toy::name", void(int, std::string_view)> name;
#endif

void call(const std::string& text) { name(1, text); }
