// expect: error: static assertion failed: kernel by name: found it among the arguments, wanted a template argument, impl<&kernel>\(op, key\); where it needs a state, impl_boxed\(op, key, object\)$
// rule: B2
// topic: names
// By a name, too, a kernel is a template argument.
import topbit.core;

int length(int x);
#ifndef FIXED
const auto kernels = topbit::library("toy").impl("length", topbit::key::CPU, &length);
#else
const auto kernels = topbit::library("toy").impl<&length>("length", topbit::key::CPU);
#endif
