// Declarations shared by the sources of the matrix product.
#pragma once

#include "matmul/epilogue.h"

namespace tb_cpu::TOPBIT_ARCH {

// A matrix-vector product: sums of `depth` products, one per output. The matrix is contiguous along outputs or along
// depth.
struct vector_product {
  const void* matrix;
  int64_t output_step, depth_step;
  const void* vector;
  int64_t vector_step;
  int64_t depth;
  int32_t dtype;  // of matrix and vector
};
// Computes outputs first, first + 1, ..., which are one row of the result.
tb_status multiply_vector(const vector_product& product, int64_t first, int64_t outputs, const epilogue<float>& end);
tb_status multiply_vector(const vector_product& product, int64_t first, int64_t outputs, const epilogue<double>& end);

// I64, with activation TB_RELU or none.
tb_status multiply_integers(const tb_matmul& product);

}  // namespace tb_cpu::TOPBIT_ARCH
