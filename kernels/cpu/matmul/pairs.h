// Packing for processors that multiply pairs of bfloat16 numbers (AVX-512 BF16): blocks of a and b whose elements are
// pairs adjacent along depth, in the place of float32 elements; the last one has a zero if the depth is odd.
#pragma once

#include "isa/isa_targets.h"
#include "matmul/pack.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Whether products of matrices with elements of type E are computed by pairs.
template <typename E>
bool by_pairs() {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<E, tb_kernel::bfloat16>) return runs_avx512bf16();
#endif
  return false;
}

template <typename E>
struct product_operand {
  strided<E> of;
  int64_t depth;  // columns of a left-hand matrix, rows of a right-hand one
};

#if defined(__AVX512F__)
using tb_kernel::bfloat16;

// 0 for `second` if it is null.
inline float pair_of(const bfloat16* first, const bfloat16* second) {
  return tb_kernel::float_of_bits(uint32_t(first->bits) | (second == nullptr ? 0u : uint32_t(second->bits) << 16));
}

// The pairs of two rows; 0 in the lanes that are not asked for, and for `second` if it is null.
inline __m512 pairs_in(const bfloat16* first, const bfloat16* second, __mmask16 lanes) {
  const auto load = [lanes](const bfloat16* at) {
    return at == nullptr ? _mm512_setzero_si512() : _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, at));
  };
  return _mm512_castsi512_ps(_mm512_or_si512(load(first), _mm512_slli_epi32(load(second), 16)));
}
inline __m512 pairs_of(const bfloat16* first, const bfloat16* second, int64_t count) {
  return pairs_in(first, second, first_lanes(count, 0.0f));
}

using bfloat16_matrix = product_operand<bfloat16>;

// The pairs of the rows of a left-hand matrix where it stores them; null if they must be packed.
inline const float* pairs_in_place(const bfloat16_matrix& a) {
  if (a.of.col != 1 || a.of.row % 2 != 0 || a.depth % 2 != 0) return nullptr;
  return reinterpret_cast<uintptr_t>(a.of.at) % alignof(float) == 0 ? reinterpret_cast<const float*>(a.of.at) : nullptr;
}

// The callbacks of left_source and right_source whose context is a bfloat16_matrix; p and depth count pairs.
inline left_block<float> pack_left_pairs(const void* context, int64_t i, int64_t rows, int64_t p, int64_t depth,
                                         float* to) {
  using order = left_block<float>::order;
  const auto& [a, elements] = *static_cast<const bfloat16_matrix*>(context);
  const int64_t whole = 2 * (p + depth) <= elements ? depth : depth - 1;
  const bfloat16* from = a.at + i * a.row + 2 * p * a.col;
  if (a.row == 1 && a.col != 1) {
    const even_parts panels(rows, tile_rows);
    for (int64_t panel = 0; panel < panels.count; ++panel) {
      const int64_t high = panels.size(panel);
      for (int64_t d = 0; d < depth; ++d, to += high) {
        const bfloat16* const first = from + panels.first(panel) + 2 * d * a.col;
        masked_store(to, first_lanes(high, 0.0f), pairs_of(first, d < whole ? first + a.col : nullptr, high));
      }
    }
    return {to - rows * depth, 0, order::panels};
  }
  for (int64_t r = 0; r < rows; ++r, from += a.row) {
    float* const out = to + r * depth;
    if (a.col == 1) {
      __builtin_memcpy(out, from, static_cast<size_t>(whole) * sizeof(float));
    } else {
      for (int64_t d = 0; d < whole; ++d) out[d] = pair_of(from + 2 * d * a.col, from + (2 * d + 1) * a.col);
    }
    if (whole < depth) out[whole] = pair_of(from + 2 * whole * a.col, nullptr);
  }
  return {to, depth, order::rows};
}

inline void pack_right_pairs(const void* context, int64_t p, int64_t depth, int64_t first_column, int64_t columns,
                             float* to) {
  const auto& [b, elements] = *static_cast<const bfloat16_matrix*>(context);
  constexpr int64_t width = vector_width<float>, wide = tile_width<float>;
  for (int64_t j = 0; j < columns; j += wide) {
    const int64_t count = columns - j < wide ? columns - j : wide, padded = (count + width - 1) / width * width;
    const bfloat16* const panel = b.at + (first_column + j) * b.col;
    if (b.row == 1 && b.col % 2 == 0 && elements % 2 == 0) {
      for (int64_t v = 0; v < padded; v += width) {
        pack_transposed(reinterpret_cast<const float*>(panel + v * b.col) + p, b.col / 2, depth,
                        count - v < width ? count - v : width, to + v, padded);
      }
    } else {
      for (int64_t d = 0; d < depth; ++d) {
        const bfloat16* const first = panel + 2 * (p + d) * b.row;
        const bfloat16* const second = 2 * (p + d) + 1 < elements ? first + b.row : nullptr;
        float* const out = to + d * padded;
        if (b.col == 1) {
          for (int64_t v = 0; v < padded; v += width) {
            _mm512_storeu_ps(out + v, pairs_of(first + v, second == nullptr ? nullptr : second + v,
                                               count - v < width ? count - v : width));
          }
        } else {
          for (int64_t i = 0; i < count; ++i) {
            out[i] = pair_of(first + i * b.col, second == nullptr ? nullptr : second + i * b.col);
          }
          for (int64_t i = count; i < padded; ++i) out[i] = 0;
        }
      }
    }
    to += depth * padded;
  }
}
#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
