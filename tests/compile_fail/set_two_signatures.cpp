// expect: error: static assertion failed: toy::mul: bound with the signature 'int \(int, int\)' and with 'int \(int\)'; the name of an operator has one signature$
// The registry would refuse the set.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr topbit::op<"toy::mul", int(int)> other;
inline constexpr auto cpu =
    topbit::kernels<topbit::key::CPU>(topbit::bind<mul, &mul_cpu>, topbit::bind<other, &neg_cpu>);
