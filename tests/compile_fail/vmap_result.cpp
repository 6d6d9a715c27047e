// expect: error: static assertion failed: vmap: result: found 'double', wanted a tensor, or a tuple, range, optional or struct with each_parameter\(\) of tensors$
// topic: batching
// A number would have to be read from each example.
import topbit;
import topbit.transform;
namespace tb = topbit;

void check(const tb::tensor& x) {
#ifndef FIXED
  tb::vmap([](const tb::tensor&) { return 2.0; })(x);
#else
  tb::vmap([](const tb::tensor& one) { return one * 2.0; })(x);
#endif
}
