// expect: error: static assertion failed: kernel for toy::twice: found it among the arguments, wanted a template argument, impl<&kernel>\(op, key\); where it needs a state, impl_boxed\(op, key, object\)$
// rule: B2
// topic: kernels
// A kernel with a state is boxed: it stands on its own and is not inlined anywhere.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;

#ifndef FIXED
void register_kernels(std::int64_t factor) {
  const auto kernels =
      topbit::library("toy").def(twice).impl(twice, topbit::key::CPU, [factor](std::int64_t x) { return factor * x; });
}
#else
void register_kernels(std::int64_t factor) {
  const auto kernels = topbit::library("toy").def(twice).impl_boxed(
      twice, topbit::key::CPU, [factor](const topbit::operator_handle&, topbit::boxed_stack& s) {
        const std::int64_t x = s.pop().get<std::int64_t>();
        s.push(factor * x);
      });
}
#endif
