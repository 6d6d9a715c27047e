// What tests of oneDNN's tensors share: random tensors, and the comparison with topbit's own kernels. Include this
// after every other header: it imports.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/tensor_values.h"

import topbit;
import topbit.onednn;

namespace onednn_test {

namespace tb = topbit;

inline tb::tensor random(const tb::shape& sizes, tb::dtype type = tb::dtype::float32, unsigned seed = 1) {
  return support::numbers(seed).tensor(sizes, type);
}

inline tb::tensor strided(const tb::tensor& t) { return tb::to_dense(tb::detach(t)); }
inline std::vector<double> values(const tb::tensor& t) { return support::values(strided(t)); }

// As difference(), but relative to the largest element: 1e-5 of float32, 2e-2 of bfloat16.
inline std::string distance(const tb::tensor& found, const tb::tensor& wanted) {
  const std::vector<double> all = values(wanted);
  double largest = 1;
  for (const double x : all) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
  const double relative = wanted.dtype() == tb::dtype::bfloat16 ? 2e-2 : 1e-5;
  return support::difference(values(found), all, relative * largest);
}

// An empty text if a result is oneDNN's, and equal to that of topbit's own kernels.
inline std::string differs(const tb::tensor& found, const tb::tensor& wanted) {
  if (!tb::is_mkldnn(found)) return "the result is " + std::string(name_of(found.layout()));
  if (found.sizes() != wanted.sizes())
    return "found " + to_string(found.sizes()) + ", wanted " + to_string(wanted.sizes());
  if (found.dtype() != wanted.dtype()) return "found " + std::string(name_of(found.dtype()));
  return distance(found, wanted);
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::uint64_t dense_calls() {
  std::uint64_t n = 0;
  for (const tb::author::call_count& c : tb::onednn::dense_call_report()) n += c.calls;
  return n;
}

}  // namespace onednn_test
