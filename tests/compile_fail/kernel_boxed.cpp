// expect: error: static assertion failed: kernel for toy::twice: found a boxed kernel; register it with impl_boxed\(\)$
// rule: B2
// topic: kernels
// A boxed kernel is registered as one.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

void log(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s);
#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl<&log>(twice, topbit::key::Tracer);
#else
const auto kernels = topbit::library("toy").def(twice).impl_boxed<&log>(twice, topbit::key::Tracer);
#endif
