// Creates a leaf tensor for autograd tests. Include this after every other header: it imports.
#pragma once

#include <cstdint>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace support {

/// A one-dimensional float64 tensor that requires a gradient.
inline tb::tensor leaf(const std::vector<double>& elements) {
  return tb::require_grad(tensor_of(elements, {static_cast<std::int64_t>(elements.size())}));
}

}  // namespace support
