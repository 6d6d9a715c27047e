// expect: error: static assertion failed: toy::mul: the set has kernels for CPU, SparseCUDA; say which, call<op, key>$
// No key of a set is meant without being said.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
inline constexpr auto sparse = topbit::kernels<topbit::key::SparseCUDA>(topbit::bind<mul, &mul_cpu>);
int f(int n) { return (cpu | sparse).call<mul>(n, n); }
