#include "matmul/microkernel.h"

#include <utility>

#include "layout.h"
#include "matmul/add_product.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Panels of a whose tiles are finished together, so that the transposed ones have rows of whole cache lines.
constexpr int panels_together = 4;

// Below this depth a tile is finished before a prefetch would complete.
constexpr int64_t prefetched_depth = 128;

// Without AVX-512, a masked load is slower than a plain load: separate tiles are instantiated for whole registers.
constexpr int ways_to_load = loads_parts && sizeof(vec<float>) < 64 ? 2 : 1;

// Computes a tile c = a * b, or c += a * b with `add`. The last register of a row has `last` columns, or is whole in b
// if Whole. With `Columns`, a is contiguous along rows and columns of a are `a_step` apart.
template <typename Add, typename T, int Rows, int Vectors, bool Columns, bool Whole>
[[gnu::always_inline]] inline void tile(int64_t depth, const T* a, int64_t a_step, const T* b, int64_t b_step, T* c,
                                        int64_t c_row, int64_t last, bool add) {
  constexpr int64_t width = vector_width<T>;
  const partial_vector<T> part(last);
  if (depth >= prefetched_depth) {
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < Vectors; ++v) __builtin_prefetch(c + r * c_row + v * width, 1);
    }
  }
  vec<T> sum[Rows][Vectors];
  for (auto& row : sum) {
    for (auto& s : row) s = vec<T>(T(0));
  }
  // One base pointer per three rows: one pointer or offset per row would need too many registers.
  const T* left[(Rows + 2) / 3];
  for (int g = 0; g < (Rows + 2) / 3; ++g) left[g] = a + 3 * g * a_step;
  for (int64_t p = 0; p < depth; ++p, b += b_step) {
    vec<T> row[Vectors];
    for (int v = 0; v + 1 < Vectors; ++v) row[v] = vec<T>::load_unaligned(b + v * width);
    const T* const last_vector = b + (Vectors - 1) * width;
    row[Vectors - 1] = Whole ? vec<T>::load_unaligned(last_vector) : part.load(last_vector);
#pragma clang loop unroll(full)
    for (int r = 0; r < Rows; ++r) {
      const vec<T> factor(Columns ? a[p * a_step + r] : left[r / 3][p + r % 3 * a_step]);
#pragma clang loop unroll(full)
      for (int v = 0; v < Vectors; ++v) sum[r][v] = Add::of(factor, row[v], sum[r][v]);
    }
  }
  if (add) {
    for (int r = 0; r < Rows; ++r) {
      T* const to = c + r * c_row;
      for (int v = 0; v + 1 < Vectors; ++v) {
        (vec<T>::load_unaligned(to + v * width) + sum[r][v]).store_unaligned(to + v * width);
      }
      part.add(to + (Vectors - 1) * width, sum[r][Vectors - 1]);
    }
  } else {
    for (int r = 0; r < Rows; ++r) {
      T* const to = c + r * c_row;
      for (int v = 0; v + 1 < Vectors; ++v) sum[r][v].store_unaligned(to + v * width);
      part.store(to + (Vectors - 1) * width, sum[r][Vectors - 1]);
    }
  }
}

template <typename T, int Rows, int Vectors, bool Columns, bool Whole>
void multiply_tile(int64_t depth, const T* a, int64_t a_step, const T* b, int64_t b_step, T* c, int64_t c_row,
                   int64_t last, bool add) {
  tile<add_product, T, Rows, Vectors, Columns, Whole>(depth, a, a_step, b, b_step, c, c_row, last, add);
}

template <typename T>
using tile_fn = void (*)(int64_t depth, const T* a, int64_t a_step, const T* b, int64_t b_step, T* c, int64_t c_row,
                         int64_t last, bool add);

// Indexed by registers - 1, order, and rows - 1.
template <typename T, bool Whole>
struct tile_table {
  tile_fn<T> of[tile_vectors][2][tile_rows];

  template <int... I>
  explicit constexpr tile_table(std::integer_sequence<int, I...>)
      : of{{{&multiply_tile<T, I + 1, 1, false, Whole>...}, {&multiply_tile<T, I + 1, 1, true, Whole>...}},
           {{&multiply_tile<T, I + 1, 2, false, Whole>...}, {&multiply_tile<T, I + 1, 2, true, Whole>...}}} {}
};
template <typename T>
constexpr tile_table<T, ways_to_load == 2> whole_tiles(std::make_integer_sequence<int, tile_rows>{});
template <typename T>
constexpr tile_table<T, false> part_tiles(std::make_integer_sequence<int, tile_rows>{});

#if defined(__AVX512F__)
template <int Rows, int Vectors, bool Columns>
[[gnu::target("avx512bf16")]] void multiply_pairs_tile(int64_t depth, const float* a, int64_t a_step, const float* b,
                                                       int64_t b_step, float* c, int64_t c_row, int64_t last,
                                                       bool add) {
  tile<add_pair, float, Rows, Vectors, Columns, false>(depth, a, a_step, b, b_step, c, c_row, last, add);
}

struct pair_tile_table {
  tile_fn<float> of[tile_vectors][2][tile_rows];

  template <int... I>
  explicit constexpr pair_tile_table(std::integer_sequence<int, I...>)
      : of{{{&multiply_pairs_tile<I + 1, 1, false>...}, {&multiply_pairs_tile<I + 1, 1, true>...}},
           {{&multiply_pairs_tile<I + 1, 2, false>...}, {&multiply_pairs_tile<I + 1, 2, true>...}}} {}
};
constexpr pair_tile_table pair_tiles(std::make_integer_sequence<int, tile_rows>{});
#endif

// For each panel of b, which stays in L1, iterates over the panels of a.
template <typename T, typename Whole, typename Part>
void multiply(const Whole& whole, const Part& part, left_block<T> a, right_block<T> b, result_block<T> c, int64_t rows,
              int64_t columns, int64_t depth) {
  using order = typename left_block<T>::order;
  alignas(64) T buffer[panels_together * tile_rows * tile_width<T>];
  const even_parts panels(rows, tile_rows);
  for (int64_t j = 0; j < columns; j += tile_width<T>) {
    const int64_t wide = columns - j < tile_width<T> ? columns - j : tile_width<T>;
    const int64_t vectors = (wide + vector_width<T> - 1) / vector_width<T>;
    const int64_t last = wide - (vectors - 1) * vector_width<T>;
    const T* const right = b.at + (b.packed ? j * depth : j);
    const int64_t right_step = b.packed ? vectors * vector_width<T> : b.step;
    const auto& of_order = b.packed || last == vector_width<T> ? whole.of : part.of;
    const auto& of = of_order[vectors - 1][a.how == order::rows ? 0 : 1];
    const int64_t to_row = c.at == nullptr ? tile_width<T> : c.row;
    for (int64_t i = 0; i < panels.count;) {
      const int64_t begin = panels.first(i), together = i + panels_together;
      T* const to = c.at == nullptr ? buffer : c.at + begin * c.row + j;
      int64_t end = begin;
      for (; i < panels.count && i < together; ++i) {
        const int64_t first = panels.first(i), high = panels.size(i);
        const T* const left = a.at + (a.how == order::rows     ? first * a.step
                                      : a.how == order::panels ? first * depth
                                                               : first);
        of[high - 1](depth, left, a.how == order::panels ? high : a.step, right, right_step,
                     to + (first - begin) * to_row, to_row, last, c.add);
        end = first + high;
      }
      if (c.end != nullptr) c.end->run(c.end->context, begin, end - begin, j, wide, to, to_row);
    }
  }
}

}  // namespace

void multiply_block(left_block<float> a, right_block<float> b, result_block<float> c, int64_t rows, int64_t columns,
                    int64_t depth) {
  multiply(whole_tiles<float>, part_tiles<float>, a, b, c, rows, columns, depth);
}
void multiply_block(left_block<double> a, right_block<double> b, result_block<double> c, int64_t rows, int64_t columns,
                    int64_t depth) {
  multiply(whole_tiles<double>, part_tiles<double>, a, b, c, rows, columns, depth);
}
#if defined(__AVX512F__)
void multiply_pairs_block(left_block<float> a, right_block<float> b, result_block<float> c, int64_t rows,
                          int64_t columns, int64_t depth) {
  multiply(pair_tiles, pair_tiles, a, b, c, rows, columns, depth);
}
#endif

}  // namespace tb_cpu::TOPBIT_ARCH
