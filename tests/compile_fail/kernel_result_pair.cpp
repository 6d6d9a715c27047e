// expect: error: static assertion failed: kernel for toy::divide, result: the schema needs 'std::tuple<int64_t, int64_t>', the kernel returns 'std::pair<int64_t, int64_t>'; several results are a std::tuple$
// rule: R15
// topic: kernels
// Several results are a std::tuple, also where there are two.
#include <cstdint>
#include <tuple>
#include <utility>
import topbit.core;

inline constexpr topbit::op<"toy::divide(int x, int y) -> (int, int)"> divide;

#ifndef FIXED
std::pair<std::int64_t, std::int64_t> divide_cpu(std::int64_t x, std::int64_t y);
#else
std::tuple<std::int64_t, std::int64_t> divide_cpu(std::int64_t x, std::int64_t y);
#endif
const auto kernels = topbit::library("toy").def(divide).impl<&divide_cpu>(divide, topbit::key::CPU);
