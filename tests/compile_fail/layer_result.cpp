// expect: error: static assertion failed: toy::mul: the layer 'silent' returns 'void', the operator 'int'; return what next\(\) returns$
// A layer hands the result on.
import topbit.core;

inline constexpr topbit::op<"toy::add(int a, int b) -> int"> add;
inline constexpr topbit::op<"toy::mul", int(int, int)> mul;
inline constexpr topbit::op<"toy::neg", int(int)> neg;

long add_cpu(long a, long b);
int mul_cpu(int a, int b);
int neg_cpu(int a);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<add, &add_cpu>, topbit::bind<mul, &mul_cpu>);

struct silent {
  template <class Op, class Next, class... A>
  static void run(Next next, A... a) {
    next(a...);
  }
};
inline constexpr auto layer = topbit::layer_kernels<silent, topbit::key::Tracer>(mul);
const auto live = topbit::install(layer);
