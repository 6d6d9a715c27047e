// Cache blocking of a matrix product after Goto: the driver between a call and the micro-kernel.
#pragma once

#include "matmul/epilogue.h"
#include "matmul/microkernel.h"

namespace tb_cpu::TOPBIT_ARCH {

// The operands of a product: read in place where the layout permits, otherwise packed.
template <typename T>
struct left_source {
  const T* in_place;  // null: must be packed
  int64_t row, col;   // in place, one of them is 1
  // Packs rows i, i + 1, ... and columns p, p + 1, ... into `to`, which has room for rows * depth elements.
  left_block<T> (*pack)(const void* context, int64_t i, int64_t rows, int64_t p, int64_t depth, T* to);
  const void* context;
};
template <typename T>
struct right_source {
  const T* in_place;
  int64_t row;
  // Packs into `to`, which has room for depth * columns elements, with columns rounded up to whole SIMD registers, and
  // for one register more.
  void (*pack)(const void* context, int64_t p, int64_t depth, int64_t j, int64_t columns, T* to);
  const void* context;
};

template <typename T>
struct blocked_product {
  left_source<T> a;
  right_source<T> b;
  int64_t m, n, k;
  epilogue<T> end;
  bool pairs = false;  // elements of a and b are pairs of bfloat16 numbers, k counts pairs; see pairs.h
  // The columns of a block of b, which by default stays in L3.
  int64_t block_columns = 8192 / int64_t(sizeof(T));
};

// Computes the rectangle of the result from (row, column) on. Results do not depend on how the result is divided into
// rectangles. k is at least 1. Returns TB_OUT_OF_MEMORY if there is no memory for packing.
tb_status multiply_rectangle(const blocked_product<float>& product, int64_t row, int64_t rows, int64_t column,
                             int64_t columns);
tb_status multiply_rectangle(const blocked_product<double>& product, int64_t row, int64_t rows, int64_t column,
                             int64_t columns);

// Computes `batch` whole results in parallel where that pays: part(context, at, ...) computes one rectangle of result
// `at`.
tb_status multiply_in_parts(int64_t m, int64_t n, int64_t k, int64_t batch, const void* context,
                            tb_status (*part)(const void* context, int64_t at, int64_t row, int64_t rows,
                                              int64_t column, int64_t columns));

namespace {

// The maximum number of rows of b per block (kc): the length of a sequential sum before partial sums are added.
template <typename T>
constexpr int64_t block_depth = sizeof(T) == 4 ? 384 : 256;

// An operand that is read more than a few times is packed if it is read more than `readings` times, or if its rows are
// more than `farthest` bytes or a multiple of `same_set` bytes apart: addresses a multiple of 4096 bytes apart map to
// the same L1 set.
constexpr int64_t readings = 600;
constexpr int64_t farthest = 16384;
constexpr int64_t same_set = 4096;

inline bool stays(int64_t step_bytes, int64_t read, int64_t seldom) {
  if (read <= seldom) return true;
  return read <= readings && (step_bytes < 0 ? -step_bytes : step_bytes) <= farthest && step_bytes % same_set != 0;
}

// For a left-hand matrix whose contiguous rows or columns are `step` apart.
template <typename T>
bool left_stays(int64_t step, int64_t columns) {
  return stays(step * int64_t(sizeof(T)), columns, 2 * tile_width<T>);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
