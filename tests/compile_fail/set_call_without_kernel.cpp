// expect: error: static assertion failed: toy::neg: the set has no kernel; add bind<op, &kernel> to it$
// A call of what is not there does not compile.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
int f(int n) { return cpu.call<neg>(n); }
