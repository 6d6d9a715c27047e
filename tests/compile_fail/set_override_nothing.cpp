// expect: error: static assertion failed: toy::neg: there is no kernel to override for CPU; add one with unite\(base, set\)$
// An override replaces something, as replace() does.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
inline constexpr auto more = topbit::kernels<topbit::key::CPU>(topbit::bind<neg, &neg_cpu>);
inline constexpr auto all = topbit::override_with(cpu, more);
