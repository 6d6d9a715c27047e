// What tests of topbit.cuda stand on: a device, or the test is skipped and says why. Include this after every other
// header: it imports.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"

import topbit;
import topbit.cuda;

namespace cuda_tests {

namespace tb = topbit;
namespace aten = topbit::aten;

inline tb::device need(int index = 0) {
  if (!tb::cuda_available()) SKIP(tb::cuda_unavailable_reason());
  if (index >= tb::cuda_device_count()) SKIP("one CUDA device, wanted " << index + 1);
  return tb::cuda(index);
}

inline std::vector<double> values(const tb::tensor& t) { return support::values(tb::to(t, tb::cpu)); }

inline tb::tensor filled(const tb::shape& sizes, double value, tb::device where) {
  return aten::full(sizes, value, tb::arg<"dtype"> = tb::dtype::float32, tb::arg<"device"> = where);
}

}  // namespace cuda_tests
