// Part of a vector at the end of dense memory, by masks where the processor has them.
#pragma once

#include "batches.h"

#if defined(__AVX2__)
#  include <immintrin.h>
#endif

namespace tb_cpu::TOPBIT_ARCH {
namespace {

#if defined(__AVX512F__)

template <typename T>
vec<T> load_tail(const T* at, int64_t count) {
  const unsigned mask = (1u << count) - 1;
  if constexpr (std::is_same_v<T, float>) return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), at);
  if constexpr (std::is_same_v<T, double>) return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), at);
}

template <typename T>
void store_tail(T* at, int64_t count, vec<T> value) {
  const unsigned mask = (1u << count) - 1;
  if constexpr (std::is_same_v<T, float>) _mm512_mask_storeu_ps(at, static_cast<__mmask16>(mask), value);
  if constexpr (std::is_same_v<T, double>) _mm512_mask_storeu_pd(at, static_cast<__mmask8>(mask), value);
}

#elif defined(__AVX2__)

// The lanes below count, in units of 32 bits.
inline __m256i lanes_below(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

template <typename T>
vec<T> load_tail(const T* at, int64_t count) {
  if constexpr (std::is_same_v<T, float>) return _mm256_maskload_ps(at, lanes_below(count));
  if constexpr (std::is_same_v<T, double>) return _mm256_maskload_pd(at, lanes_below(2 * count));
}

template <typename T>
void store_tail(T* at, int64_t count, vec<T> value) {
  if constexpr (std::is_same_v<T, float>) _mm256_maskstore_ps(at, lanes_below(count), value);
  if constexpr (std::is_same_v<T, double>) _mm256_maskstore_pd(at, lanes_below(2 * count), value);
}

#else

template <typename T>
vec<T> load_tail(const T* at, int64_t count) {
  return load_part(at, count, T(0));
}

template <typename T>
void store_tail(T* at, int64_t count, vec<T> value) {
  store_part<T>(at, count, value);
}

#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
