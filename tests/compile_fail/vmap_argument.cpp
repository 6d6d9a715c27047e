// expect: error: static assertion failed: vmap: argument 1: found 'double', wanted a tensor, or a tuple, range, optional or struct with each_parameter\(\) of tensors; capture it in the function instead$
// topic: batching
// Numbers are not mapped.
import topbit;
import topbit.transform;
namespace tb = topbit;

void check(const tb::tensor& x) {
#ifndef FIXED
  tb::vmap([](const tb::tensor& one, double factor) { return one * factor; })(x, 2.0);
#else
  tb::vmap([factor = 2.0](const tb::tensor& one) { return one * factor; })(x);
#endif
}
