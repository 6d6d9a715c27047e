// expect: error: static assertion failed: kernel by name: a boxed kernel has no signature to give; declare the operator and use impl_boxed\(\)$
// rule: R7
// topic: names
// A name alone says nothing of arguments and results; the function has to.
import topbit.core;

void any(const topbit::operator_handle& op, topbit::boxed_stack& s);
#ifndef FIXED
const auto kernels = topbit::library("toy").def<&any>("any");
#else
inline constexpr topbit::op<"toy::any(int x) -> int"> op;
const auto kernels = topbit::library("toy").def(op).impl_boxed<&any>(op, topbit::key::CPU);
#endif
