// expect: error: static assertion failed: kernel for toy::count, result: the schema needs 'int64_t', the kernel returns 'int'; an int of a schema is std::int64_t$
// rule: R15
// topic: kernels
// A result narrows no more than an argument.
#include <cstdint>
#include <span>
import topbit.core;

inline constexpr topbit::op<"toy::count(float[] xs) -> int"> count;

#ifndef FIXED
int count_cpu(std::span<const double> xs);
#else
std::int64_t count_cpu(std::span<const double> xs);
#endif
const auto kernels = topbit::library("toy").def(count).impl<&count_cpu>(count, topbit::key::CPU);
