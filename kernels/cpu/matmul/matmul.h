// What the sources of the matrix product share.
#pragma once

#include "matmul/epilogue.h"

namespace tb_cpu::TOPBIT_ARCH {

// A matrix times a vector: sums over `depth` products, one for each output. One of the two directions of the matrix has
// neighbours.
struct vector_product {
  const void* matrix;
  int64_t output_step, depth_step;
  const void* vector;
  int64_t vector_step;
  int64_t depth;
  int32_t dtype;  // of both
};
// Outputs first, first + 1, ..., which are a row of the result.
tb_status multiply_vector(const vector_product& product, int64_t first, int64_t outputs, const epilogue<float>& end);
tb_status multiply_vector(const vector_product& product, int64_t first, int64_t outputs, const epilogue<double>& end);

// I64, with activations that numbers have.
tb_status multiply_integers(const tb_matmul& product);

}  // namespace tb_cpu::TOPBIT_ARCH
