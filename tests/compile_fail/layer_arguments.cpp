// expect: error: static assertion failed: toy::neg: the layer 'two_only' has no run<Op>\(next, arguments\.\.\.\) that takes its arguments; if it is not for this operator, say so by its 'handles<Op>'$
// topic: sets
// A layer takes the arguments of each operator that it is for.
import topbit.core;

inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double neg_cpu(double a);
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<neg, &neg_cpu>);

#ifndef FIXED
struct two_only {
  template <class Op, class Next>
  static double run(Next next, double a, double b) {
    return next(a, b);
  }
};
#else
struct two_only {
  template <class Op>
  static constexpr bool handles = Op::arity == 2;
  template <class Op, class Next>
  static double run(Next next, double a, double b) {
    return next(a, b);
  }
};
#endif

double minus(double x) { return topbit::static_dispatch::layered<cpu, two_only>.call<neg>(x); }
