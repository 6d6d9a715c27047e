// expect: error: static assertion failed: toy::mul: bound twice for CPU; leave one out, or use override_with\(base, set\)$
// One operator has one kernel for a key.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<mul, &mul_cpu>, topbit::bind<neg, &neg_cpu>,
                                                              topbit::bind<mul, &mul_cpu>);
