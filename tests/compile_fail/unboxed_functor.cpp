// expect: error: static assertion failed: boxed kernel: needs an object to call as 'void\(const operator_handle&, key_set, boxed_stack&\)' or without the key set, found 'doubles'$
// rule: R21
// topic: boxed
// An object that serves every operator must be boxed.
import topbit.core;

struct doubles {
#ifndef FIXED
  int operator()(int x) const { return 2 * x; }
#else
  void operator()(const topbit::operator_handle&, topbit::boxed_stack& s) const { s.push(2 * s.pop().get<int>()); }
#endif
};
const auto tracer = topbit::fallback(topbit::key::UserTop1, doubles());
