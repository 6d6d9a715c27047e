// expect: error: static assertion failed: kernel for toy::sum, argument 1 'xs': the schema needs 'std::span<const int64_t>', the kernel takes 'const std::vector<int64_t>&'; a list is passed as std::span<const T>, not copied$
// rule: R15
// topic: kernels
// A schema's list is lent as a span.
#include <cstdint>
#include <span>
#include <vector>
import topbit.core;

inline constexpr topbit::op<"toy::sum(int[] xs) -> int"> sum;

#ifndef FIXED
std::int64_t sum_cpu(const std::vector<std::int64_t>& xs);
#else
std::int64_t sum_cpu(std::span<const std::int64_t> xs);
#endif
const auto kernels = topbit::library("toy").def(sum).impl<&sum_cpu>(sum, topbit::key::CPU);
