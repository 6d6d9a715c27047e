// Products of a few rows with a matrix that is contiguous along depth: dot products of both, since packing the matrix
// would cost more than the product.
#pragma once

#include "matmul/dot_terms.h"
#include "matmul/epilogue.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Rows and columns of a tile.
constexpr int few_tile_rows = sizeof(vec<float>) == 64 ? 4 : 2, few_tile_columns = 4;
constexpr int few_sums = few_tile_rows * few_tile_columns;

// The most rows that are faster than a product of blocks, and the most bytes of a tile's rows that are multiplied by
// one column after another, since they stay in L1. Measured.
template <typename Terms>
constexpr int64_t most_few_rows = sizeof(vec<float>) < 64               ? 4
                                  : Terms::width <= vector_width<float> ? 8
                                                                        : 16;
constexpr int64_t most_few_bytes = 16384;

// a [rows][depth] times the transpose of b [columns][depth], rows contiguous.
template <typename Terms>
struct few_rows {
  const typename Terms::element *a, *b;
  int64_t a_row, b_row, rows, depth;
};

#if defined(__AVX512F__)
// The sums of the lanes of 16 registers, each added in the same order.
inline void sums_of_lanes(const vec<float>* x, float* sums) {
  __m512 quarter[4];
  for (int i = 0; i < 4; ++i) {
    const vec<float>* const at = x + 4 * i;
    const __m512 low = _mm512_add_ps(_mm512_unpacklo_ps(at[0], at[1]), _mm512_unpackhi_ps(at[0], at[1]));
    const __m512 high = _mm512_add_ps(_mm512_unpacklo_ps(at[2], at[3]), _mm512_unpackhi_ps(at[2], at[3]));
    const __m512d l = _mm512_castps_pd(low), h = _mm512_castps_pd(high);
    quarter[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(l, h)), _mm512_castpd_ps(_mm512_unpackhi_pd(l, h)));
  }
  const auto merge = [](__m512 p, __m512 q) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(p, q, 0x88), _mm512_shuffle_f32x4(p, q, 0xdd));
  };
  _mm512_storeu_ps(sums, merge(merge(quarter[0], quarter[1]), merge(quarter[2], quarter[3])));
}
#endif
template <typename T>
void sums_of_lanes(const vec<T>* x, T* sums) {
  for (int i = 0; i < few_sums; ++i) sums[i] = sum_of_lanes<T>(x[i]);
}

// Rows of a times few_tile_columns rows of b, to out[Rows][few_tile_columns], rows `out_row` apart. The rows of b are
// read together or, with OneByOne, one after another.
template <typename Terms, int Rows, bool OneByOne>
[[gnu::always_inline]] inline void dot_tile(const few_rows<Terms>& product, const typename Terms::element* a,
                                            const typename Terms::element* const* b, typename Terms::number* out,
                                            int64_t out_row) {
  using T = typename Terms::number;
  constexpr int64_t width = Terms::width, chain = 256 * width;
  constexpr int group = OneByOne ? 1 : few_tile_columns;
  vec<T> total[few_sums];
  for (auto& t : total) t = vec<T>(T(0));
  for (int64_t from = 0; from < product.depth; from += chain) {
    const int64_t end = product.depth - from < chain ? product.depth : from + chain;
    vec<T> sum[Rows][few_tile_columns];
    for (auto& row : sum) {
      for (auto& s : row) s = vec<T>(T(0));
    }
#pragma clang loop unroll(full)
    for (int first = 0; first < few_tile_columns; first += group) {
      const auto add = [&](int64_t p, int64_t lanes) __attribute__((always_inline)) {
        decltype(Terms::load(a, lanes)) right[group];
#pragma clang loop unroll(full)
        for (int j = 0; j < group; ++j) right[j] = Terms::load(b[first + j] + p, lanes);
#pragma clang loop unroll(full)
        for (int r = 0; r < Rows; ++r) {
          const auto left = Terms::load(a + r * product.a_row + p, lanes);
#pragma clang loop unroll(full)
          for (int j = 0; j < group; ++j) sum[r][first + j] = Terms::add(left, right[j], sum[r][first + j]);
        }
      };
      int64_t p = from;
      for (; p + width <= end; p += width) add(p, width);
      if (p < end) add(p, end - p);
    }
    for (int r = 0; r < Rows; ++r) {
      for (int j = 0; j < few_tile_columns; ++j) total[r * few_tile_columns + j] += sum[r][j];
    }
  }
  alignas(64) T sums[few_sums];
  sums_of_lanes(total, sums);
  for (int r = 0; r < Rows; ++r) {
    for (int j = 0; j < few_tile_columns; ++j) out[r * out_row + j] = sums[r * few_tile_columns + j];
  }
}

template <typename Terms, int Rows, bool OneByOne>
void dot_tile_of_elements(const few_rows<Terms>& product, const typename Terms::element* a,
                          const typename Terms::element* const* b, typename Terms::number* out, int64_t out_row) {
  dot_tile<Terms, Rows, OneByOne>(product, a, b, out, out_row);
}
#if defined(__AVX512F__)
template <int Rows, bool OneByOne>
[[gnu::target("avx512bf16")]] void dot_tile_of_pairs(const few_rows<pair_terms>& product, const bfloat16* a,
                                                     const bfloat16* const* b, float* out, int64_t out_row) {
  dot_tile<pair_terms, Rows, OneByOne>(product, a, b, out, out_row);
}
#endif

// Indexed by rows - 1.
template <typename Terms, bool OneByOne>
struct dot_tiles {
  void (*of[few_tile_rows])(const few_rows<Terms>&, const typename Terms::element*,
                            const typename Terms::element* const*, typename Terms::number*, int64_t);

  template <int... I>
  explicit constexpr dot_tiles(std::integer_sequence<int, I...>) : of{tile<I + 1>()...} {}

 private:
  template <int Rows>
  static constexpr auto tile() {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Terms, pair_terms>) return &dot_tile_of_pairs<Rows, OneByOne>;
#endif
    if constexpr (std::is_same_v<typename Terms::element, typename Terms::number>) {
      return &dot_tile_of_elements<Terms, Rows, OneByOne>;
    }
  }
};
template <typename Terms, bool OneByOne>
constexpr dot_tiles<Terms, OneByOne> tiles_of_few(std::make_integer_sequence<int, few_tile_rows>{});

// Columns `first` to first + columns - 1 of the result.
template <typename Terms>
void multiply_few_rows(const few_rows<Terms>& product, int64_t first, int64_t columns,
                       const epilogue<typename Terms::number>& end) {
  using E = typename Terms::element;
  constexpr int64_t wide = 64;
  const int64_t in_tile = product.rows < few_tile_rows ? product.rows : few_tile_rows;
  const bool one_by_one = comes_from_memory(columns * product.depth, sizeof(E)) &&
                          in_tile * product.depth * int64_t(sizeof(E)) <= most_few_bytes;
  alignas(64) typename Terms::number sums[most_few_rows<Terms> * wide];
  for (int64_t j = 0; j < columns; j += wide) {
    const int64_t count = columns - j < wide ? columns - j : wide;
    for (int64_t column = 0; column < count; column += few_tile_columns) {
      const E* b[few_tile_columns];  // the last column again where there are fewer
      for (int64_t i = 0; i < few_tile_columns; ++i) {
        b[i] = product.b + (first + j + (column + i < count ? column + i : count - 1)) * product.b_row;
      }
      for (int64_t r = 0; r < product.rows; r += few_tile_rows) {
        const int64_t rows = product.rows - r < few_tile_rows ? product.rows - r : few_tile_rows;
        // The first tile brings the columns into a cache.
        const auto& of = r == 0 && one_by_one ? tiles_of_few<Terms, true>.of : tiles_of_few<Terms, false>.of;
        of[rows - 1](product, product.a + r * product.a_row, b, sums + r * wide + column, wide);
      }
    }
    finish(end, 0, product.rows, first + j, count, sums, wide);
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
