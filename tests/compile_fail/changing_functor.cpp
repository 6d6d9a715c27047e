// expect: error: static assertion failed: boxed kernel: the call operator of 'counter' must be const, since threads call it at once; what it changes must be atomic or locked, and mutable$
// topic: boxed
// One object serves all threads, so a call operator that changes it without saying so is a race.
#include <atomic>
import topbit.core;

struct counter {
#ifndef FIXED
  int calls = 0;
  void operator()(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s) {
    ++calls;
#else
  mutable std::atomic<int> calls = 0;
  counter() = default;
  counter(counter&& other) : calls(other.calls.load()) {}
  void operator()(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s) const {
    ++calls;
#endif
    op.redispatch_boxed(keys & topbit::below(topbit::key::UserTop1), s);
  }
};
const auto tracer = topbit::fallback(topbit::key::UserTop1, counter());
