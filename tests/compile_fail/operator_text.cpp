// expect: error: static assertion failed: def\(\): needs an operator, found a text; declare one with its types, topbit::op<"ns::name\(int x\) -> int">$
// topic: registering
// A text alone has no C++ types; an operator is declared before it is defined.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef MENDED
const auto kernels = topbit::library("toy").def("thrice(int x) -> int");
#else
inline constexpr topbit::op<"toy::thrice(int x) -> int"> thrice;
const auto kernels = topbit::library("toy").def(thrice);
#endif
