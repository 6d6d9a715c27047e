// expect: error: static assertion failed: toy::name, argument 2: found 'const std::string&', wanted 'std::string_view'$
// rule: B7
// A string travels as a view, so that a boxed call need not make one.
#include <string>

import topbit.core;

inline constexpr topbit::op<"toy::name", void(int, const std::string&)> name;

void call(const std::string& text) { name(1, text); }
