// expect: error: static assertion failed: kernel for toy::repeat, argument 1 'times': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema is std::int64_t$
// rule: B7
// topic: kernels
// A schema's int is std::int64_t; a narrower kernel is refused and not fed a cut value.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::repeat(int times) -> int"> repeat;

#ifndef FIXED
std::int64_t repeat_cpu(int times);
#else
std::int64_t repeat_cpu(std::int64_t times);
#endif
const auto kernels = topbit::library("toy").def(repeat).impl<&repeat_cpu>(repeat, topbit::key::CPU);
