// expect: error: static assertion failed: kernel for toy::twice, argument 1 'n': the schema needs 'int64_t', the kernel takes 'int'; an int of a schema is std::int64_t$
// topic: sets
// A kernel of a set is checked as impl() does it.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int n) -> int"> twice;

#ifndef FIXED
std::int64_t twice_cpu(int n);
#else
std::int64_t twice_cpu(std::int64_t n);
#endif

inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<twice, &twice_cpu>);
