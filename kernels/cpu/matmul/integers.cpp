// Integer matrix products, which wrap: tiles of a few rows by a few registers, over panels of b that are copied.
#include "elementwise/elementwise.h"
#include "layout.h"
#include "matmul/matmul.h"
#include "product_forms.h"
#include "simd/simd.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A register; the compiler multiplies by 32-bit parts where there is no instruction for 64.
using lanes = uint64_t __attribute__((vector_size(sizeof(vec<float>)), aligned(8)));
constexpr int64_t width = sizeof(lanes) / sizeof(uint64_t);
constexpr int tile_vectors = 4, tile_rows = sizeof(lanes) == 64 ? 4 : 2;
constexpr int64_t panel_depth = 64, block_rows = 32;
// The columns of a task if a result has few rows.
constexpr int64_t few_columns = 512;
template <int Vectors>
constexpr int64_t panel_columns = Vectors * width;

// Rows of b for the columns of a panel, then zeros.
template <int Vectors>
void pack_panel(const tb_matmul& p, const int64_t* b, int64_t depth, int64_t columns, uint64_t* to) {
  for (int64_t d = 0; d < depth; ++d, to += panel_columns<Vectors>) {
    const int64_t* const row = b + d * p.b_row;
    for (int64_t j = 0; j < columns; ++j) to[j] = uint64_t(row[j * p.b_col]);
    for (int64_t j = columns; j < panel_columns<Vectors>; ++j) to[j] = 0;
  }
}

// sums += rows of a times a panel.
template <int Rows, int Vectors>
void add_tile(const tb_matmul& p, const int64_t* a, const uint64_t* panel, int64_t depth, uint64_t* sums) {
  lanes sum[Rows][Vectors];
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      sum[r][v] = *reinterpret_cast<const lanes*>(sums + r * panel_columns<Vectors> + v * width);
    }
  }
  for (int64_t d = 0; d < depth; ++d, panel += panel_columns<Vectors>, a += p.a_col) {
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      const lanes factor = uint64_t(a[r * p.a_row]) + lanes{};
#pragma clang loop unroll(full)
      for (int v = 0; v < Vectors; ++v) {
        sum[r][v] += factor * *reinterpret_cast<const lanes*>(panel + v * width);
      }
    }
  }
  for (int r = 0; r < Rows; ++r) {
    for (int v = 0; v < Vectors; ++v) {
      *reinterpret_cast<lanes*>(sums + r * panel_columns<Vectors> + v * width) = sum[r][v];
    }
  }
}

// sums = rows of a times columns of b, at most block_rows and panel_columns of them.
template <int Vectors>
void multiply_panel(const tb_matmul& p, const int64_t* a, const int64_t* b, int64_t rows, int64_t columns,
                    uint64_t* sums) {
  alignas(64) uint64_t panel[panel_depth * panel_columns<Vectors>];
  for (int64_t k = 0; k < rows * panel_columns<Vectors>; ++k) sums[k] = 0;
  for (int64_t d = 0; d < p.k; d += panel_depth) {
    const int64_t depth = p.k - d < panel_depth ? p.k - d : panel_depth;
    pack_panel<Vectors>(p, b + d * p.b_row, depth, columns, panel);
    const int64_t* left = a + d * p.a_col;
    int64_t i = 0;
    for (; i + tile_rows <= rows; i += tile_rows) {
      add_tile<tile_rows, Vectors>(p, left + i * p.a_row, panel, depth, sums + i * panel_columns<Vectors>);
    }
    for (; i < rows; ++i) add_tile<1, Vectors>(p, left + i * p.a_row, panel, depth, sums + i * panel_columns<Vectors>);
  }
}

// The result's rows from `first` on and columns from `left` on.
void multiply_rectangle(const tb_matmul& p, int64_t at, int64_t first, int64_t rows, int64_t left, int64_t right,
                        loop_fn activation) {
  static constexpr tb_scalar no_numbers[TB_MAX_NUMBERS] = {};
  const int64_t* const a = static_cast<const int64_t*>(p.a) + at * p.a_batch;
  const int64_t* const b = static_cast<const int64_t*>(p.b) + at * p.b_batch;
  const uint64_t* const added =
      p.added == nullptr ? nullptr : static_cast<const uint64_t*>(p.added) + at * p.added_batch;
  uint64_t* const out = static_cast<uint64_t*>(p.out) + at * p.out_batch;
  alignas(64) uint64_t sums[block_rows * panel_columns<tile_vectors>];
  for (int64_t block = first; block < first + rows; block += block_rows) {
    const int64_t high = first + rows - block < block_rows ? first + rows - block : block_rows;
    for (int64_t j = left, columns = 0; j < right; j += columns) {
      const bool narrow = right - j <= width;
      const int64_t row = narrow ? panel_columns<1> : panel_columns<tile_vectors>;
      columns = right - j < row ? right - j : row;
      const auto multiply = narrow ? &multiply_panel<1> : &multiply_panel<tile_vectors>;
      multiply(p, a + block * p.a_row, b + j * p.b_col, high, columns, sums);
      for (int64_t r = 0; r < high; ++r) {
        const int64_t i = block + r;
        uint64_t* const line = sums + r * row;
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
  if (p.n == 1) tb_kernel::transpose(p);
  const loop_fn activation = p.activation < 0 ? nullptr : loops_of(p.activation).integer;
  if (p.out_dtype != TB_I64 || (p.activation >= 0 && p.activation != TB_RELU)) return TB_UNSUPPORTED_DTYPE;
  if (p.m <= 0 || p.n <= 0 || p.batch <= 0) return TB_OK;
  const double worth = 8.0 * double(parallel_grain), of_a_matrix = double(p.m) * double(p.n) * double(p.k);
  if (of_a_matrix * double(p.batch) < worth) {
    for (int64_t at = 0; at < p.batch; ++at) multiply_rectangle(p, at, 0, p.m, 0, p.n, activation);
    return TB_OK;
  }
  const int64_t rows_at_once = of_a_matrix < worth ? p.m : block_rows;
  const int64_t columns_at_once = of_a_matrix < worth || p.m > 4 * block_rows ? p.n : few_columns;
  const int64_t down = (p.m + rows_at_once - 1) / rows_at_once;
  const int64_t across = (p.n + columns_at_once - 1) / columns_at_once;
  each_part(p.batch * down * across, [&](int64_t i) {
    const int64_t first = i / across % down * rows_at_once, left = i % across * columns_at_once;
    multiply_rectangle(p, i / across / down, first, p.m - first < rows_at_once ? p.m - first : rows_at_once, left,
                       p.n - left < columns_at_once ? p.n : left + columns_at_once, activation);
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
