// expect: error: static assertion failed: boxed kernel: the call operator of 'counter' must be const, since threads call it at once; what it changes must be atomic or locked, and mutable$
// One object serves all threads, so a call operator that changes it without saying so is a race.
import topbit.core;

struct counter {
  int calls = 0;
  void operator()(const topbit::operator_handle& op, topbit::key_set keys, topbit::stack& s) {
    ++calls;
    op.redispatch_boxed(keys & topbit::below(topbit::key::UserTop1), s);
  }
};
const auto tracer = topbit::fallback(topbit::key::UserTop1, counter());
