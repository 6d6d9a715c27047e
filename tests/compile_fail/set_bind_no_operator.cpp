// expect: error: static assertion failed: bind: found 'int', wanted an operator, as topbit::op declares them$
// A kernel is bound to an operator.
import topbit.core;

int twice_cpu(int n);
inline constexpr auto cpu = topbit::kernels<topbit::key::CPU>(topbit::bind<2, &twice_cpu>);
