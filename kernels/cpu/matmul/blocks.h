// A product of matrices cut into blocks that fit the caches, after Goto: the driver between a call and register tiles.
#pragma once

#include "matmul/epilogue.h"
#include "matmul/microkernel.h"

namespace tb_cpu::TOPBIT_ARCH {

// One factor of a product: read where it is, where that can be, else packed.
template <typename T>
struct left_source {
  const T* in_place;  // null: has to be packed
  int64_t row, col;   // one of them is 1 in place
  // Rows i, i + 1, ... and columns p, p + 1, ... into `to`, which has room for rows * depth.
  left_block<T> (*pack)(const void* context, int64_t i, int64_t rows, int64_t p, int64_t depth, T* to);
  const void* context;
};
template <typename T>
struct right_source {
  const T* in_place;
  int64_t row;
  // Into `to`, which has room for depth * columns, these rounded up to whole vectors.
  void (*pack)(const void* context, int64_t p, int64_t depth, int64_t j, int64_t columns, T* to);
  const void* context;
};

template <typename T>
struct blocked_product {
  left_source<T> a;
  right_source<T> b;
  int64_t m, n, k;
  epilogue<T> end;
};

// The rectangle of the result from (row, column) on. Results do not depend on how a result is cut into rectangles. k is
// at least 1. TB_OUT_OF_MEMORY if there is no room to pack in.
tb_status multiply_rectangle(const blocked_product<float>& product, int64_t row, int64_t rows, int64_t column,
                             int64_t columns);
tb_status multiply_rectangle(const blocked_product<double>& product, int64_t row, int64_t rows, int64_t column,
                             int64_t columns);

// The whole result, on as many threads as it is worth; `batch` of them, each made by `at`.
tb_status multiply_in_parts(int64_t m, int64_t n, int64_t k, int64_t batch, const void* context,
                            tb_status (*part)(const void* context, int64_t at, int64_t row, int64_t rows,
                                              int64_t column, int64_t columns));

namespace {

// Rows of b in a block, at most: the products that are summed before sums are added to sums.
template <typename T>
constexpr int64_t block_depth = sizeof(T) == 4 ? 384 : 256;

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
