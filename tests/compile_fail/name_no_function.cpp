// expect: error: static assertion failed: kernel by name: needs a function or a lambda without captures, found 'int'$
// rule: B2
// topic: names
// Something that cannot be called is named as what it is, also without an operator to compare it with.
import topbit.core;

#ifndef FIXED
const auto kernels = topbit::implement("toy").impl<42>("answer", topbit::key::CPU);
#else
const auto kernels = topbit::implement("toy").impl<[] { return 42; }>("answer", topbit::key::CPU);
#endif
