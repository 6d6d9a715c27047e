// expect: error: static assertion failed: boxed kernel: needs an object to call as 'void\(const operator_handle&, key_set, stack&\)' or without the key set, found 'doubles'$
// rule: R21
// An object that serves every operator must be boxed.
import topbit.core;

struct doubles {
  int operator()(int x) const { return 2 * x; }
};
const auto tracer = topbit::fallback(topbit::key::UserTop1, doubles());
