// expect: error: static assertion failed: kernel for toy::twice: needs a function or a lambda without captures, found 'int'$
// rule: B2
// Something that cannot be called is named as what it is.
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

const auto kernels = topbit::library("toy").def(twice).impl<42>(twice, topbit::key::CPU);
