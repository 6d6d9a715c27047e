// Products of a few rows of bfloat16 elements with a matrix that is contiguous along depth, for processors with AVX-512
// BF16: dot products of both, since packing the matrix would cost more than the product.
#pragma once

#include "matmul/epilogue.h"
#include "matmul/pairs.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

#if defined(__AVX512F__)
constexpr int64_t most_few_rows = 16;
constexpr int few_tile = 4;  // rows and columns of a tile

// a [rows][depth] times the transpose of b [columns][depth], rows contiguous.
struct few_rows {
  const bfloat16 *a, *b;
  int64_t a_row, b_row, rows, depth;
};

// The sums of the lanes of 16 registers, each added in the same order.
inline __m512 sums_of_lanes(const __m512* x) {
  __m512 quarter[4];
  for (int i = 0; i < 4; ++i) {
    const __m512* const at = x + 4 * i;
    const __m512 low = _mm512_add_ps(_mm512_unpacklo_ps(at[0], at[1]), _mm512_unpackhi_ps(at[0], at[1]));
    const __m512 high = _mm512_add_ps(_mm512_unpacklo_ps(at[2], at[3]), _mm512_unpackhi_ps(at[2], at[3]));
    const __m512d l = _mm512_castps_pd(low), h = _mm512_castps_pd(high);
    quarter[i] = _mm512_add_ps(_mm512_castpd_ps(_mm512_unpacklo_pd(l, h)), _mm512_castpd_ps(_mm512_unpackhi_pd(l, h)));
  }
  const auto merge = [](__m512 p, __m512 q) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(p, q, 0x88), _mm512_shuffle_f32x4(p, q, 0xdd));
  };
  return merge(merge(quarter[0], quarter[1]), merge(quarter[2], quarter[3]));
}

// Rows of a times few_tile rows of b, to out[Rows][few_tile], rows `out_row` apart.
template <int Rows>
[[gnu::target("avx512bf16")]] void multiply_few(const bfloat16* a, int64_t a_row, const bfloat16* const* b,
                                                int64_t depth, float* out, int64_t out_row) {
  constexpr int64_t width = 2 * vector_width<float>, chain = 256 * width;
  __m512 total[few_tile * few_tile];
  for (auto& t : total) t = _mm512_setzero_ps();
  for (int64_t from = 0; from < depth; from += chain) {
    const int64_t end = depth - from < chain ? depth : from + chain;
    __m512 sum[Rows][few_tile];
    for (auto& row : sum) {
      for (auto& s : row) s = _mm512_setzero_ps();
    }
    for (int64_t p = from; p < end; p += width) {
      const auto lanes = static_cast<__mmask32>(end - p < width ? (1u << (end - p)) - 1 : ~0u);
      __m512i right[few_tile];
#  pragma clang loop unroll(full)
      for (int j = 0; j < few_tile; ++j) right[j] = _mm512_maskz_loadu_epi16(lanes, b[j] + p);
#  pragma clang loop unroll(full)
      for (int r = 0; r < Rows; ++r) {
        const __m512i left = _mm512_maskz_loadu_epi16(lanes, a + r * a_row + p);
#  pragma clang loop unroll(full)
        for (int j = 0; j < few_tile; ++j) {
          sum[r][j] = _mm512_dpbf16_ps(sum[r][j], (__m512bh)left, (__m512bh)right[j]);
        }
      }
    }
    for (int r = 0; r < Rows; ++r) {
      for (int j = 0; j < few_tile; ++j) total[r * few_tile + j] = _mm512_add_ps(total[r * few_tile + j], sum[r][j]);
    }
  }
  alignas(64) float sums[few_tile * few_tile];
  _mm512_store_ps(sums, sums_of_lanes(total));
  for (int r = 0; r < Rows; ++r) {
    for (int j = 0; j < few_tile; ++j) out[r * out_row + j] = sums[r * few_tile + j];
  }
}

// Columns `first` to first + columns - 1 of the result.
inline void multiply_few_rows(const few_rows& product, int64_t first, int64_t columns, const epilogue<float>& end) {
  constexpr int64_t wide = 64;
  constexpr decltype(&multiply_few<1>) tiles[] = {&multiply_few<1>, &multiply_few<2>, &multiply_few<3>,
                                                  &multiply_few<4>};
  alignas(64) float sums[most_few_rows * wide];
  for (int64_t j = 0; j < columns; j += wide) {
    const int64_t count = columns - j < wide ? columns - j : wide;
    for (int64_t column = 0; column < count; column += few_tile) {
      const bfloat16* b[few_tile];  // the last column again where there are fewer
      for (int64_t i = 0; i < few_tile; ++i) {
        b[i] = product.b + (first + j + (column + i < count ? column + i : count - 1)) * product.b_row;
      }
      for (int64_t r = 0; r < product.rows; r += few_tile) {
        const int64_t rows = product.rows - r < few_tile ? product.rows - r : few_tile;
        tiles[rows - 1](product.a + r * product.a_row, product.a_row, b, product.depth, sums + r * wide + column, wide);
      }
    }
    finish(end, 0, product.rows, first + j, count, sums, wide);
  }
}
#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
