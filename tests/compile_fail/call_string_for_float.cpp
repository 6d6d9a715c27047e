// expect: error: static assertion failed: toy::scale, argument 2 'by': found 'const std::string', wanted 'double'$
// topic: calls
// What is given for an argument converts to its type.
#include <string>
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by) -> float"> scale;

const std::string by = "3";

#ifndef FIXED
double result = scale(1.0, by);
#else
double result = scale(1.0, std::stod(by));
#endif
