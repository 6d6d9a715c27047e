// expect: error: static assertion failed: fallthrough\(\): needs an operator, found a text; declare one with its types, topbit::op<"ns::name\(int x\) -> int">$
// topic: registering
// A fallthrough is for an operator that is declared.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).fallthrough("twice", topbit::key::Tracer);
#else
const auto kernels = topbit::library("toy").def(twice).fallthrough(twice, topbit::key::Tracer);
#endif
