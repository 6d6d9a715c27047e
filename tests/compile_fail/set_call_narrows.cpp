// expect: error: static assertion failed: toy::scale, argument 1 'n': 'int64_t' does not hold every 'double'; convert it with static_cast$
// topic: sets
// A call of a kernel set is checked as a call of the operator is.
import topbit.core;

inline constexpr topbit::op<"toy::scale(int n) -> int"> scale;
constexpr long scale_cpu(long n) { return 2 * n; }
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<scale, &scale_cpu>);

#ifndef FIXED
long result = cpu.call<scale>(2.5);
#else
long result = cpu.call<scale>(static_cast<long>(2.5));
#endif
