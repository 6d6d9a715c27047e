// What dot products add for a register of each operand: products of elements, or of pairs of bfloat16 elements where
// the processor has AVX-512 BF16.
#pragma once

#include "matmul/pairs.h"
#include "multiply_add.h"
#include "row_vectors.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Elements of type E or T, computed in T.
template <typename T, typename E>
struct element_terms {
  using number = T;
  using element = E;
  using factor = T;  // elements of a converted operand
  static constexpr int64_t width = vector_width<T>;

  template <typename X>
  static vec<T> load(const X* at, int64_t lanes) {
    return load_neighbours<T>(at, lanes);
  }
  static vec<T> add(vec<T> a, vec<T> b, vec<T> sum) { return multiply_add(a, b, sum); }
};

#if defined(__AVX512F__)
struct pair_terms {
  using number = float;
  using element = bfloat16;
  using factor = bfloat16;
  static constexpr int64_t width = 2 * vector_width<float>;

  static __m512i load(const bfloat16* at, int64_t lanes) {
    return lanes == width ? _mm512_loadu_si512(at) : _mm512_maskz_loadu_epi16((1u << lanes) - 1, at);
  }
  [[gnu::target("avx512bf16")]] static vec<float> add(__m512i a, __m512i b, vec<float> sum) {
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
  }
};
#endif

// The prefetchers of a processor start anew at each stream that a loop opens: an operand that comes from memory and has
// short rows is read row after row, as one stream. A matrix of at most so many bytes is expected in a cache. Measured.
constexpr int64_t cached_bytes = 1 << 20;

inline bool comes_from_memory(int64_t elements, int64_t element_size) { return elements * element_size > cached_bytes; }

// Rows of up to so many bytes are read one after another; of longer ones, a few at a time share the loads of the other
// operand. Measured.
constexpr int64_t short_row = 8192;

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
