// The micro-kernel of a matrix product: keeps a tile of a few rows by a few SIMD registers of the result in registers
// while it reads a panel of a and a panel of b.
//
// Every tile adds the products of an element in the same order, so results do not depend on which tile an element is
// in.
#pragma once

#include "partial_vector.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {

// Maximum tile rows, and tile registers per row: enough accumulators to hide the latency of a multiply-add, few enough
// for the register file, with room for a row of b and an element of a.
constexpr int tile_rows = sizeof(vec<float>) == 64 ? 12 : sizeof(vec<float>) == 32 ? 6 : 5;
constexpr int tile_vectors = 2;
template <typename T>
constexpr int64_t vector_width = vec<T>::size;
template <typename T>
constexpr int64_t tile_width = tile_vectors * vector_width<T>;

// A block of a. Either contiguous along rows, `step` from row to row; or contiguous along columns, `step` from column
// to column; or packed: panels of rows as divided by even_parts, one after another, each a dense [depth][rows].
template <typename T>
struct left_block {
  enum class order { rows, columns, panels };
  const T* at;
  int64_t step;
  order how;
};

// A block of b. Either rows of contiguous elements, `step` apart, a whole number of registers unless loads_parts; or
// packed: panels of tile_width columns one after another, each a dense [depth][columns rounded up to registers],
// zero-padded.
template <typename T>
struct right_block {
  const T* at;
  int64_t step;
  bool packed;
};

// A callback that applies the epilogue to each tile while the tile is in cache: [rows][columns] of the block from (row,
// column) on.
template <typename T>
struct tile_end {
  void (*run)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns, const T* tile,
              int64_t tile_row);
  const void* context;
};

// Where products are stored, with contiguous rows. Null: tiles are computed in a buffer and passed to `end`.
template <typename T>
struct result_block {
  T* at;
  int64_t row;
  bool add;                // accumulate into the result
  const tile_end<T>* end;  // null: no epilogue
};

// [rows][depth] times [depth][columns]; depth is at least 1.
void multiply_block(left_block<float> a, right_block<float> b, result_block<float> c, int64_t rows, int64_t columns,
                    int64_t depth);
void multiply_block(left_block<double> a, right_block<double> b, result_block<double> c, int64_t rows, int64_t columns,
                    int64_t depth);
#if defined(__AVX512F__)
// The same for operands whose elements are pairs of bfloat16 numbers, adjacent along depth: the sum of both products.
// Requires AVX-512 BF16.
void multiply_pairs_block(left_block<float> a, right_block<float> b, result_block<float> c, int64_t rows,
                          int64_t columns, int64_t depth);
#endif

namespace {

// Divides `whole` into the fewest parts of at most `most`, whose sizes differ by at most 1.
struct even_parts {
  int64_t count, least, longer;

  even_parts(int64_t whole, int64_t most) : count(1), least(whole), longer(0) {
    if (whole <= most) return;
    count = (whole + most - 1) / most;
    least = whole / count;
    longer = whole - count * least;
  }
  int64_t first(int64_t i) const { return i * least + (i < longer ? i : longer); }
  int64_t size(int64_t i) const { return least + (i < longer ? 1 : 0); }
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
