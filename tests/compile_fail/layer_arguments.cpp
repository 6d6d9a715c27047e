// expect: error: static assertion failed: toy::neg: the layer 'two_only' has no run<Op>\(next, arguments...\) that takes its arguments; if it is not for this operator, say so by its 'handles<Op>'$
// A layer takes the arguments of the operators it is for.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);
inline constexpr auto unary = topbit::kernels<topbit::key::CPU>(topbit::bind<neg, &neg_cpu>);

struct two_only {
  template <class Op, class Next>
  static int run(Next next, int a, int b) {
    return next(a, b);
  }
};
int f(int n) { return topbit::layered<unary, two_only>.call<neg>(n); }
