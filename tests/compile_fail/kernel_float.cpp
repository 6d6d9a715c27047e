// expect: error: static assertion failed: kernel for toy::scale, argument 1 'x': the schema needs 'double', the kernel takes 'float'$
// rule: B7
// A schema's float is double, whatever its name says.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;

double scale_cpu(float x);
const auto kernels = topbit::library("toy").def(scale).impl<&scale_cpu>(scale, topbit::key::CPU);
