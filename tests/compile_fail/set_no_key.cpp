// expect: error: static assertion failed: kernels: found key::Undefined, wanted a key; the one for kernels that serve every key is key::CompositeImplicitAutograd$
// A set has a key.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::Undefined>(topbit::bind<mul, &mul_cpu>);
