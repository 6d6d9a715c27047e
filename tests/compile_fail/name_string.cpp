// expect: error: static assertion failed: kernel by name, argument 1: found 'const std::string&', wanted 'std::string_view'$
// rule: B7
// topic: names
// What an operator declared in code cannot take, one that is named at run time cannot either.
#include <string>
#include <string_view>
import topbit.core;

#ifndef FIXED
int length(const std::string& text);
#else
int length(std::string_view text);
#endif
const auto kernels = topbit::library("toy").def<&length>("length");
