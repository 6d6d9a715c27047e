// Products of matrices by cuBLASLt, where the machine has it.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

struct library_answer {
  tb_status status;
  bool done;  // false, with TB_OK: the library is not there or does not take this product, and nothing was written
};

bool has_library();

// Takes floats, a result whose rows are dense, no activation, and what is added as a matrix like the result or as a row
// that is repeated. Sums are in what the dtype is computed in, float32 in all its bits.
library_answer multiply_by_library(const scope& on, const tb_matmul& p);

}  // namespace tb_cuda
