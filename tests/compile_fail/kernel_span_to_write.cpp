// expect: error: static assertion failed: kernel for toy::sum, argument 1 'xs': the schema needs 'std::span<const int64_t>', the kernel takes 'std::span<int64_t>'; its elements are const, since they belong to the caller$
// rule: R15
// topic: kernels
// What is lent in a list is not written.
#include <cstdint>
#include <span>
import topbit.core;

inline constexpr topbit::op<"toy::sum(int[] xs) -> int"> sum;

#ifndef FIXED
std::int64_t sum_cpu(std::span<std::int64_t> xs);
#else
std::int64_t sum_cpu(std::span<const std::int64_t> xs);
#endif
const auto kernels = topbit::library("toy").def(sum).impl<&sum_cpu>(sum, topbit::key::CPU);
