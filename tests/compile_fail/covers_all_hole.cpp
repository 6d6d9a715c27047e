// expect: error: static assertion failed: toy::add: no kernel for CUDA, the first of 4 that are missing; add bind<op, &kernel> to kernels<key::CUDA>\(\), or declare hole<op, key::CUDA>$
// An application is covered but for what it declares.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
static_assert(
    topbit::covers_all<topbit::operators<add, mul, neg>, topbit::keys<topbit::key::CPU, topbit::key::CUDA>, cpu>);
