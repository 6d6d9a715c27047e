// Tensors and comparisons of the tests of dual tensors. Include this after every other header: it imports.
#pragma once

#include <cstdint>
#include <vector>

import topbit;
import topbit.transform;

namespace duals {

namespace tb = topbit;

inline bool close(const tb::tensor& a, const tb::tensor& b) {
  return a.defined() && b.defined() && a.sizes() == b.sizes() && a.dtype() == b.dtype() &&
         tb::allclose(a, b, 1e-10, 1e-12);
}

inline tb::tensor random(std::vector<std::int64_t> sizes, std::uint64_t seed) {
  return tb::randn(sizes, tb::arg<"dtype"> = tb::dtype::float64, tb::arg<"generator"> = tb::generator(seed));
}

// By two backward passes.
template <class F>
tb::tensor by_reverse(const F& f, const tb::tensor& x, const tb::tensor& v) {
  return tb::linearize(f, x).second(v);
}

}  // namespace duals
