// expect: error: static assertion failed: kernel for toy::name, result: the schema needs 'std::string', the kernel returns 'std::string_view'; a result owns its text$
// rule: R15
// topic: kernels
// A result owns what it holds: what it could view ends with the kernel.
#include <cstdint>
#include <string>
#include <string_view>
import topbit.core;

inline constexpr topbit::op<"toy::name(int n) -> str"> name;

#ifndef FIXED
std::string_view name_cpu(std::int64_t n);
#else
std::string name_cpu(std::int64_t n);
#endif
const auto kernels = topbit::library("toy").def(name).impl<&name_cpu>(name, topbit::key::CPU);
