// expect: error: static assertion failed: kernel for toy::twice: found it among the arguments, wanted a template argument, impl<&kernel>\(op, key\); where it needs a state, impl_boxed\(op, key, object\)$
// rule: B2
// topic: kernels
// A kernel is a template argument, so that it is checked and inlined where it is registered.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

std::int64_t twice_cpu(std::int64_t x);
#ifndef FIXED
const auto kernels = topbit::library("toy").def(twice).impl(twice, topbit::key::CPU, &twice_cpu);
#else
const auto kernels = topbit::library("toy").def(twice).impl<&twice_cpu>(twice, topbit::key::CPU);
#endif
