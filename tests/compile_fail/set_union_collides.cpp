// expect: error: static assertion failed: toy::mul: more than one of these sets has a kernel for CPU; leave one out, or use override_with\(base, set\)$
// Which of two kernels is meant is said, not guessed.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
inline constexpr auto more =
    topbit::kernels<topbit::key::CPU>(topbit::bind<neg, &neg_cpu>, topbit::bind<mul, &mul_cpu>);
inline constexpr auto all = cpu | more;
