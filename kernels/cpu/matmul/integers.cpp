// Integer matrix products, which wrap: a few rows of the result at a time, along rows of b.
#include "elementwise/elementwise.h"
#include "layout.h"
#include "matmul/matmul.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block_columns = 512;

// sums[rows][block_columns] = rows of a times columns of b.
template <int Rows>
void multiply_rows(const tb_matmul& p, const int64_t* a, const int64_t* b, int64_t columns,
                   uint64_t (*sums)[block_columns]) {
  for (int r = 0; r < Rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) sums[r][j] = 0;
  }
  for (int64_t d = 0; d < p.k; ++d) {
    uint64_t factor[Rows];
    for (int r = 0; r < Rows; ++r) factor[r] = uint64_t(a[r * p.a_row + d * p.a_col]);
    const int64_t* const row = b + d * p.b_row;
    if (p.b_col == 1) {
      for (int64_t j = 0; j < columns; ++j) {
        for (int r = 0; r < Rows; ++r) sums[r][j] += factor[r] * uint64_t(row[j]);
      }
    } else {
      for (int64_t j = 0; j < columns; ++j) {
        const uint64_t x = uint64_t(row[j * p.b_col]);
        for (int r = 0; r < Rows; ++r) sums[r][j] += factor[r] * x;
      }
    }
  }
}

void multiply_matrix(const tb_matmul& p, int64_t at, int64_t first, int64_t rows, loop_fn activation) {
  static constexpr tb_scalar no_numbers[TB_MAX_NUMBERS] = {};
  const int64_t* const a = static_cast<const int64_t*>(p.a) + at * p.a_batch;
  const int64_t* const b = static_cast<const int64_t*>(p.b) + at * p.b_batch;
  const uint64_t* const added =
      p.added == nullptr ? nullptr : static_cast<const uint64_t*>(p.added) + at * p.added_batch;
  uint64_t* const out = static_cast<uint64_t*>(p.out) + at * p.out_batch;
  uint64_t sums[4][block_columns];
  for (int64_t j = 0; j < p.n; j += block_columns) {
    const int64_t columns = p.n - j < block_columns ? p.n - j : block_columns;
    for (int64_t i = first; i < first + rows;) {
      const int64_t high = first + rows - i < 4 ? 1 : 4;
      const int64_t *const left = a + i * p.a_row, *const right = b + j * p.b_col;
      if (high == 4) {
        multiply_rows<4>(p, left, right, columns, sums);
      } else {
        multiply_rows<1>(p, left, right, columns, sums);
      }
      for (int64_t r = 0; r < high; ++r, ++i) {
        uint64_t* const line = sums[r];
        for (int64_t c = 0; c < columns; ++c) line[c] *= uint64_t(p.alpha.i);
        for (int64_t c = 0; c < columns && added != nullptr; ++c) {
          line[c] += uint64_t(p.beta.i) * added[i * p.added_row + (j + c) * p.added_col];
        }
        const void* const in[] = {line};
        if (activation != nullptr) activation(columns, line, in, no_numbers);
        for (int64_t c = 0; c < columns; ++c) out[i * p.out_row + (j + c) * p.out_col] = line[c];
      }
    }
  }
}

}  // namespace

tb_status multiply_integers(const tb_matmul& given) {
  tb_matmul p = given;
  if (p.k == 0) {
    // With k == 0 the operands may have no memory to read.
    static constexpr int64_t nothing = 0;
    p.a = p.b = &nothing;
    p.a_row = p.b_col = p.a_batch = p.b_batch = 0;
  }
  const loop_fn activation = p.activation < 0 ? nullptr : loops_of(p.activation).integer;
  if (p.out_dtype != TB_I64 || (p.activation >= 0 && p.activation != TB_RELU)) return TB_UNSUPPORTED_DTYPE;
  if (p.m <= 0 || p.n <= 0 || p.batch <= 0) return TB_OK;
  const double worth = 8.0 * double(parallel_grain), of_a_matrix = double(p.m) * double(p.n) * double(p.k);
  if (of_a_matrix * double(p.batch) < worth) {
    for (int64_t at = 0; at < p.batch; ++at) multiply_matrix(p, at, 0, p.m, activation);
    return TB_OK;
  }
  const int64_t rows_at_once = of_a_matrix < worth ? p.m : 32;
  const int64_t blocks = (p.m + rows_at_once - 1) / rows_at_once;
  each_part(p.batch * blocks, [&](int64_t i) {
    const int64_t first = i % blocks * rows_at_once, left = p.m - first;
    multiply_matrix(p, i / blocks, first, left < rows_at_once ? left : rows_at_once, activation);
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
