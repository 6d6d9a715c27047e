// expect: error: static assertion failed: kernel for toy::count, argument 1 'mask': the schema needs 'std::span<const bool>', the kernel takes 'const std::vector<bool>&'; std::vector<bool> holds bits and no bools, a bool\[\] of a schema is std::span<const bool>$
// rule: R15
// topic: kernels
// A std::vector<bool> packs its bits, so nothing in it can be lent.
#include <cstdint>
#include <span>
#include <vector>
import topbit.core;

inline constexpr topbit::op<"toy::count(bool[] mask) -> int"> count;

#ifndef FIXED
std::int64_t count_cpu(const std::vector<bool>& mask);
#else
std::int64_t count_cpu(std::span<const bool> mask);
#endif
const auto kernels = topbit::library("toy").def(count).impl<&count_cpu>(count, topbit::key::CPU);
