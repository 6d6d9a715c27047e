// expect: error: static assertion failed: kernel by name, argument 1: found 'const std::string&', wanted 'std::string_view'$
// rule: B7
// What an operator declared in code cannot take, one that is named at run time cannot either.
#include <string>
import topbit.core;

int length(const std::string& text);
const auto kernels = topbit::library("toy").def<&length>("length");
