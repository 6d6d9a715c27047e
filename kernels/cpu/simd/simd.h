// The SIMD register type of one architecture (its xsimd batch), with partial loads and stores.
#pragma once

#include <stdint.h>

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "isa/arch.h"

namespace tb_cpu {

namespace sse2 {
using isa = xsimd::sse2;
}
namespace avx2 {
using isa = xsimd::fma3<xsimd::avx2>;
}
namespace avx512 {
using isa = xsimd::avx512bw;
}

namespace TOPBIT_ARCH {

template <typename T>
using vec = xsimd::batch<T, isa>;

namespace {

#if defined(__AVX512F__)
inline __mmask16 first_lanes(int64_t count, float) { return static_cast<__mmask16>((1u << count) - 1); }
inline __mmask8 first_lanes(int64_t count, double) { return static_cast<__mmask8>((1u << count) - 1); }
inline __m512 masked_load(const float* at, __mmask16 lanes, float rest) {
  return _mm512_mask_loadu_ps(_mm512_set1_ps(rest), lanes, at);
}
inline __m512d masked_load(const double* at, __mmask8 lanes, double rest) {
  return _mm512_mask_loadu_pd(_mm512_set1_pd(rest), lanes, at);
}
inline __m512 masked(__m512 value, __mmask16 lanes) { return _mm512_maskz_mov_ps(lanes, value); }
inline __m512d masked(__m512d value, __mmask8 lanes) { return _mm512_maskz_mov_pd(lanes, value); }
inline void masked_store(float* at, __mmask16 lanes, __m512 value) { _mm512_mask_storeu_ps(at, lanes, value); }
inline void masked_store(double* at, __mmask8 lanes, __m512d value) { _mm512_mask_storeu_pd(at, lanes, value); }
#elif defined(__AVX2__)
inline __m256i first_lanes(int64_t count, float) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline __m256i first_lanes(int64_t count, double) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
}
inline __m256 masked_load(const float* at, __m256i lanes, float rest) {
  return _mm256_blendv_ps(_mm256_set1_ps(rest), _mm256_maskload_ps(at, lanes), _mm256_castsi256_ps(lanes));
}
inline __m256d masked_load(const double* at, __m256i lanes, double rest) {
  return _mm256_blendv_pd(_mm256_set1_pd(rest), _mm256_maskload_pd(at, lanes), _mm256_castsi256_pd(lanes));
}
inline __m256 masked(__m256 value, __m256i lanes) { return _mm256_and_ps(value, _mm256_castsi256_ps(lanes)); }
inline __m256d masked(__m256d value, __m256i lanes) { return _mm256_and_pd(value, _mm256_castsi256_pd(lanes)); }
inline void masked_store(float* at, __m256i lanes, __m256 value) { _mm256_maskstore_ps(at, lanes, value); }
inline void masked_store(double* at, __m256i lanes, __m256d value) { _mm256_maskstore_pd(at, lanes, value); }
#endif

// Partial loads and stores at the end of dense memory; memory past the end is not accessed. Other lanes are set to
// `rest`.
template <typename T>
vec<T> load_part(const T* at, int64_t count, T rest) {
#if defined(__AVX2__)
  if constexpr (std::is_floating_point_v<T>) return masked_load(at, first_lanes(count, rest), rest);
#endif
  alignas(64) T lanes[vec<T>::size];
  vec<T>(rest).store_aligned(lanes);
  __builtin_memcpy(lanes, at, static_cast<size_t>(count) * sizeof(T));
  return vec<T>::load_aligned(lanes);
}

template <typename T>
void store_part(T* at, int64_t count, vec<T> value) {
#if defined(__AVX2__)
  if constexpr (std::is_floating_point_v<T>) return masked_store(at, first_lanes(count, T(0)), value);
#endif
  alignas(64) T lanes[vec<T>::size];
  value.store_aligned(lanes);
  __builtin_memcpy(at, lanes, static_cast<size_t>(count) * sizeof(T));
}

// Keeps the first lanes and sets the others to 0.
template <typename T>
vec<T> first_of(vec<T> value, int64_t count) {
#if defined(__AVX2__)
  if constexpr (std::is_floating_point_v<T>) return masked(value, first_lanes(count, T(0)));
#endif
  alignas(64) T lanes[vec<T>::size] = {};
  alignas(64) T all[vec<T>::size];
  value.store_aligned(all);
  __builtin_memcpy(lanes, all, static_cast<size_t>(count) * sizeof(T));
  return vec<T>::load_aligned(lanes);
}

}  // namespace
}  // namespace TOPBIT_ARCH
}  // namespace tb_cpu
