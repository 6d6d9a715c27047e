// expect: error: static assertion failed: boxed kernel: 'counter' cannot be moved into the registry$
// topic: boxed
// The registry keeps the object, so it must be possible to move it there.
#include <memory>
#include <mutex>
import topbit.core;

struct counter {
#ifndef FIXED
  mutable std::mutex lock;
#else
  std::unique_ptr<std::mutex> lock = std::make_unique<std::mutex>();
#endif
  void operator()(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s) const {
    op.redispatch_boxed(keys & topbit::below(topbit::key::UserTop1), s);
  }
};
#ifndef FIXED
counter one;
const auto tracer = topbit::fallback<counter>(topbit::key::UserTop1, counter());
#else
const auto tracer = topbit::fallback<counter>(topbit::key::UserTop1, counter());
#endif
