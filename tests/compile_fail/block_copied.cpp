// expect: error: call to deleted constructor of 'const library_block': it owns its registrations; move it$
// rule: D1
// topic: registering
// A block owns its registrations, so there is one of it.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

const auto kernels = topbit::library("toy").def(twice);
#ifndef FIXED
const auto other = kernels;
#else
const auto& other = kernels;
#endif
