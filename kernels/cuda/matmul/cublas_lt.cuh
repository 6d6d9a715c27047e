// Matrix products by cuBLASLt, if the library is installed.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

struct library_answer {
  tb_status status;
  bool done;  // false with status TB_OK: the library is absent or does not support this product; nothing was written
};

bool has_library();

// Supports floating-point types, a result with contiguous rows, no activation, and an addend that is a matrix laid
// out like the result or a broadcast row. Accumulates in the compute type; float32 without TF32.
library_answer multiply_by_library(const scope& on, const tb_matmul& p);

}  // namespace tb_cuda
