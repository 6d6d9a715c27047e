// Register tiles of a matrix product: a few rows by a few vectors of the result stay in registers while a panel of a
// and a panel of b stream past them.
//
// Every tile adds the products of one element in the same order, so which tile an element falls in cannot be seen in
// it.
#pragma once

#include "first_part.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {

// The most rows of a tile, and its columns: enough sums to hide the latency of a multiply-add, few enough for the
// register file, with room for a row of b and an element of a.
constexpr int tile_rows = sizeof(vec<float>) == 64 ? 12 : sizeof(vec<float>) == 32 ? 6 : 5;
constexpr int tile_vectors = 2;
template <typename T>
constexpr int64_t vector_width = vec<T>::size;
template <typename T>
constexpr int64_t tile_width = tile_vectors * vector_width<T>;

// Rows of a. Either the elements of a row are neighbours, `step` from row to row, or those of a column are, `step` from
// column to column; or panels of rows as even_parts cuts them, one after another, each a dense [depth][rows].
template <typename T>
struct left_block {
  enum class order { rows, columns, panels };
  const T* at;
  int64_t step;
  order how;
};

// Columns of b. Rows of neighbours, `step` apart: whole vectors of them unless loads_parts. Or packed: panels of
// tile_width columns one after another, each a dense [depth][width of its vectors] with zeros for missing columns.
template <typename T>
struct right_block {
  const T* at;
  int64_t step;
  bool packed;
};

// What is done to each tile while it is near: [rows][columns] of the block from that row and column on.
template <typename T>
struct tile_end {
  void (*run)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns, const T* tile,
              int64_t tile_row);
  const void* context;
};

// Rows of neighbours where the products go. Null: each tile goes from a buffer to its end.
template <typename T>
struct result_block {
  T* at;
  int64_t row;
  bool add;                // to what is there
  const tile_end<T>* end;  // null: nothing more
};

// [rows][depth] times [depth][columns], depth at least 1.
void multiply_block(left_block<float> a, right_block<float> b, result_block<float> c, int64_t rows, int64_t columns,
                    int64_t depth);
void multiply_block(left_block<double> a, right_block<double> b, result_block<double> c, int64_t rows, int64_t columns,
                    int64_t depth);

namespace {

// `whole` cut in as few parts as are needed for none to be above `most`, as even as whole numbers can be.
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
