// expect: error: static assertion failed: kernel for toy::add, argument 2 'b': the schema needs 'int64_t', the kernel takes 'int'$
// A kernel of a set is checked as impl() does it.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;

long add_cpu(long a, int b);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>);
