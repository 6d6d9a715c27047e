// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found the operator 'toy::twice'; write a function that calls it$
// rule: B2
// topic: kernels
// An operator is called by a kernel, and is none.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl<twice>(twice, topbit::key::Tracer);
#else
std::int64_t twice_traced(topbit::key_set keys, std::int64_t x) {
  return twice.redispatch(keys & topbit::below(topbit::key::Tracer), x);
}
const auto kernels = topbit::library("toy").def(twice).impl<&twice_traced>(twice, topbit::key::Tracer);
#endif
