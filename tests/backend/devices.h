// The devices the ladder is climbed on, and how its rungs look at results: on the host, or on meta by shape alone.
// Include this after every other header: it imports.
#pragma once

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/tensor_print.h"
#include "support/tensor_values.h"

import topbit;
import topbit.cuda;

namespace rung {

namespace tb = topbit;

// One type per device: the last word of a test's name.
struct cpu {
  static tb::device need() { return tb::cpu; }
};
struct meta {
  static tb::device need() { return tb::meta; }
};
struct cuda {
  static tb::device need() {
    if (!tb::cuda_available()) SKIP("no CUDA device");
    return tb::cuda();
  }
};
// A backend of another project, linked from examples/npu.
struct npu {
  static tb::device need() { return tb::parse_device("npu"); }
};

// Four functions and a name, linked from examples/backend: the host computes everything.
struct chip {
  static tb::device need() { return tb::parse_device("chip"); }
};

// Catch2 puts a type's name in the test's only where the types are listed one by one, hence the macro.
#define EVERY_DEVICE rung::cpu, rung::meta, rung::npu, rung::chip, rung::cuda

/// The result is on that device and has these sizes, dtype and, where there are any, elements.
inline void check(const tb::tensor& found, tb::device where, const tb::tensor& wanted, double tolerance = 0) {
  CHECK(found.device() == where);
  CHECK(found.sizes() == wanted.sizes());
  CHECK(found.dtype() == wanted.dtype());
  if (where == tb::meta) {
    CHECK(found.data() == nullptr);
    return;
  }
  CHECK(support::difference(support::values(tb::to(found, tb::cpu)), support::values(wanted), tolerance) == "");
}

using sizes = std::vector<std::int64_t>;

}  // namespace rung
