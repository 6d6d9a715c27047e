// expect: error: static assertion failed: bind: found 'int', wanted an operator, as topbit::op declares them$
// topic: sets
// A kernel is bound to an operator.
import topbit.core;

inline constexpr topbit::op<"toy::neg(float a) -> float"> neg;

double neg_cpu(double a);

#ifndef FIXED
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<1, &neg_cpu>);
#else
inline constexpr auto cpu =
    topbit::static_dispatch::kernels<topbit::key::CPU>(topbit::static_dispatch::bind<neg, &neg_cpu>);
#endif
