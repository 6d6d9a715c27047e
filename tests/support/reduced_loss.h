// Expected elementwise losses and their reductions none, mean and sum. Include this after every other header: it
// imports.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/exact_values.h"

import topbit;

namespace support {

enum class reduction : std::int64_t { none, mean, sum };
inline constexpr reduction reductions[] = {reduction::none, reduction::mean, reduction::sum};

/// Expected losses in row-major order with the magnitude of their terms; `divisor` divides the sum for the mean.
struct losses {
  tb::shape sizes;
  std::vector<approximately> all;
  extended divisor = 0;

  void add(approximately loss) {
    all.push_back(loss);
    divisor += 1;
  }
};

/// Compares with a tolerance of `units` ulp of the dtype, at the larger of value and scale: a composite rounds after
/// each step.
inline std::string loss_disagreement(const tb::tensor& found, const losses& wanted, reduction how, extended units) {
  const tb::dtype t = found.dtype();
  std::vector<approximately> all = wanted.all;
  if (how != reduction::none) {
    extended sum = 0, size = 0;
    for (const approximately& x : all) {
      sum += x.value;
      size += std::max(std::abs(x.value), x.scale);
    }
    // float64 sums are accumulated sequentially in float64.
    if (t == tb::dtype::float64) units += extended(all.size()) / 2;
    const extended by = how == reduction::mean ? wanted.divisor : 1;
    all = {approximately(sum / by, by == 0 ? 0 : size / std::abs(by))};
  }
  if (found.sizes() != (how == reduction::none ? wanted.sizes : tb::shape{})) {
    return "found sizes " + tb::to_string(found.sizes());
  }
  const std::vector<extended> elements = exact_values(found);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const extended value = all[i].value, nearest = oracle::stored(t, value);
    if (std::isnan(value) ? std::isnan(elements[i]) : elements[i] == nearest) continue;
    const extended most = units * unit_at(t, std::max(std::abs(value), all[i].scale));
    if (!(std::abs(elements[i] - value) <= most)) {
      return "element " + std::to_string(i) + ": found " + text_of_number(elements[i]) + ", wanted " +
             text_of_number(value) + " to " + text_of_number(most);
    }
  }
  return elements.size() == all.size() ? "" : "found " + std::to_string(elements.size()) + " elements";
}

}  // namespace support
