// Four steps with gradients that are the same every time, as in the PyTorch program that the wanted numbers are from:
//   x.grad = torch.tensor([((i*7+s*5)%11-5)/4 for i in range(4)], dtype=t)
// Include this after every other header: it imports.
#pragma once

#include <string>
#include <vector>

#include "support/tensor_values.h"

import topbit;

namespace training {

inline topbit::tensor fixed_gradient(int step, topbit::dtype type) {
  std::vector<double> all;
  for (int i = 0; i < 4; ++i) all.push_back(((i * 7 + step * 5) % 11 - 5) / 4.0);
  return support::tensor_of(all, {4}, type);
}

inline topbit::tensor start(topbit::dtype type) {
  return topbit::require_grad(support::tensor_of({1, -2, 0.5, 3}, {4}, type));
}

// How the parameter differs from what was wanted after four steps; empty if it does not.
template <class Optimizer, class Options>
std::string after_four_steps(const Options& options, topbit::dtype type, const std::vector<double>& wanted) {
  const topbit::tensor x = start(type);
  Optimizer optimizer({x}, options);
  for (int s = 0; s < 4; ++s) {
    topbit::set_leaf_grad(x, fixed_gradient(s, type));
    optimizer.step();
  }
  return support::difference(support::values(x), wanted, type == topbit::dtype::float64 ? 4e-15 : 2e-7);
}

}  // namespace training
