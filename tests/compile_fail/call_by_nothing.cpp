// expect: error: static assertion failed: toy::add: found 'int', wanted something to call it by: the operator, 'dispatched', a kernel set or a layered one$
// Generic code is told what cannot call.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
long f(long n) { return topbit::call<add>(2, n, n); }
