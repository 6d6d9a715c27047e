// expect: error: static assertion failed: kernel for toy::twice, argument 1 'x': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema is std::int64_t$
// rule: B2
// topic: kernels
// A function that is known only when the program runs is checked by its type, as every kernel is.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
using function = std::int64_t (*)(int);
#else
using function = std::int64_t (*)(std::int64_t);
#endif
function found_at_run_time();
const auto kernels = topbit::library("toy").def(twice).impl_pointer(twice, topbit::key::CPU, found_at_run_time());
