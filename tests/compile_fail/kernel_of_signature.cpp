// expect: error: static assertion failed: kernel of a signature for toy::twice: found 'silent', wanted an object without members whose call operator is 'template <class R, class\.\.\. A> R operator\(\)\(typed_handle<R\(A\.\.\.\)>, key_set, A\.\.\.\) const'$
// rule: B2
// topic: kernels
// A kernel of many operators is told which one was called, and takes the arguments of any signature.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
struct silent {
  template <class R, class... A>
  R operator()(topbit::key_set keys, A... x) const {
    return twice.redispatch(keys.below_highest(), x...);
  }
};
#else
struct silent {
  template <class R, class... A>
  R operator()(topbit::typed_handle<R(A...)> called, topbit::key_set keys, A... x) const {
    return called.redispatch(keys.below_highest(), x...);
  }
};
#endif
const auto row = topbit::author::signature_row<silent{}>(twice, topbit::key::Tracer);
