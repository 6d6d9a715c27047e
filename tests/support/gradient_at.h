// First and second gradients of a function of one tensor at given elements, and their comparison with expected values.
// Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace support {

using one_tensor_function = std::function<tb::tensor(const tb::tensor&)>;

/// The gradient of sum(weights * f(x)) with respect to x; without weights, of sum(f(x)).
inline std::vector<double> gradient_at(const one_tensor_function& f, const std::vector<double>& elements,
                                       const tb::shape& sizes, const std::vector<double>& weights = {}) {
  const tb::tensor x = tb::require_grad(tensor_of(elements, sizes));
  tb::tensor y = f(x);
  if (!weights.empty()) y = y * tensor_of(weights, y.sizes());
  return values(tb::grad(tb::aten::sum(y), x));
}

/// The gradient of sum((1, 2, 3, ...) * gradient) with respect to x.
inline std::vector<double> second_gradient_at(const one_tensor_function& f, const std::vector<double>& elements,
                                              const tb::shape& sizes, const std::vector<double>& weights = {}) {
  const tb::tensor x = tb::require_grad(tensor_of(elements, sizes));
  tb::tensor y = f(x);
  if (!weights.empty()) y = y * tensor_of(weights, y.sizes());
  const tb::tensor g = tb::grad(tb::aten::sum(y), x, {.create_graph = true});
  std::vector<double> counted;
  for (std::size_t i = 0; i < elements.size(); ++i) counted.push_back(static_cast<double>(i + 1));
  return values(tb::grad(tb::aten::sum(g * tensor_of(counted, sizes)), x));
}

/// Equal up to rounding; infinities have the same sign.
inline void check_elements(const std::vector<double>& found, const std::vector<double>& wanted) {
  CHECK(difference(found, wanted, 1e-12) == "");
  for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
    INFO("element " << i);
    if (std::isinf(found[i]) || std::isinf(wanted[i])) CHECK(found[i] == wanted[i]);
  }
}

}  // namespace support
