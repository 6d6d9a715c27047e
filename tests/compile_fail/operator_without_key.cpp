// expect: error: no matching member function for call to 'fallthrough'$
// topic: registering
// A fallthrough says for which key.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).fallthrough(twice);
#else
const auto kernels = topbit::library("toy").def(twice).fallthrough(twice, topbit::key::Tracer);
#endif
