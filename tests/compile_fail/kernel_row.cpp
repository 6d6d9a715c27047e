// expect: error: static assertion failed: kernel for toy::twice, argument 1 'x': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema is std::int64_t$
// rule: R15
// topic: kernels
// A row is checked like a registration.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

int twice_cpu(int x);
std::int64_t twice_wide(std::int64_t x);
#ifndef FIXED
constexpr auto row = topbit::author::row<&twice_cpu>(twice, topbit::key::CPU);
#else
constexpr auto row = topbit::author::row<&twice_wide>(twice, topbit::key::CPU);
#endif
