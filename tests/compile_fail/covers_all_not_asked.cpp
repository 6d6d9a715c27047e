// expect: error: static assertion failed: toy::mul: hole<op, key::CUDA> is declared, but is not among the operators and keys asked about; take the declaration away$
// Nor is one that says nothing.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
static_assert(topbit::covers_all<topbit::operators<add, mul>, topbit::keys<topbit::key::CPU>, cpu,
                                 topbit::hole<mul, topbit::key::CUDA>>);
