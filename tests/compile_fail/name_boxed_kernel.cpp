// expect: error: static assertion failed: kernel by name: a boxed kernel has no signature to give; declare the operator and use impl_boxed\(\)$
// rule: R7
// A name alone says nothing of arguments and results; the function has to.
import topbit.core;

void any(const topbit::operator_handle& op, topbit::stack& s);
const auto kernels = topbit::library("toy").def<&any>("any");
