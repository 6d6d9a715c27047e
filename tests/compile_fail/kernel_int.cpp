// expect: error: static assertion failed: kernel for toy::repeat, argument 1 'times': the schema needs 'int64_t', the kernel takes 'int'$
// rule: B7
// A schema's int is std::int64_t; a narrower kernel is refused and not fed a cut value.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::repeat(int times) -> int"> repeat;

std::int64_t repeat_cpu(int times);
const auto kernels = topbit::library("toy").def(repeat).impl<&repeat_cpu>(repeat, topbit::key::CPU);
