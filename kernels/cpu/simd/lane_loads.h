// SIMD registers assembled from and taken apart into 128-bit pieces at a stride: half of a transposition.
#pragma once

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Elements of a 128-bit piece.
template <typename T>
constexpr int piece = 16 / int(sizeof(T));

// Loads the pieces at `at`, `at + step`, ..., and stores them there.
#if defined(__AVX512F__)
inline vec<float> load_pieces(const float* at, int64_t step) {
  __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(at));
  all = _mm512_mask_broadcast_f32x4(all, 0x00f0, _mm_loadu_ps(at + step));
  all = _mm512_mask_broadcast_f32x4(all, 0x0f00, _mm_loadu_ps(at + 2 * step));
  return _mm512_mask_broadcast_f32x4(all, 0xf000, _mm_loadu_ps(at + 3 * step));
}
inline vec<double> load_pieces(const double* at, int64_t step) {
  __m512d all = _mm512_castpd128_pd512(_mm_loadu_pd(at));
  all = _mm512_mask_broadcast_f64x2(all, 0x0c, _mm_loadu_pd(at + step));
  all = _mm512_mask_broadcast_f64x2(all, 0x30, _mm_loadu_pd(at + 2 * step));
  return _mm512_mask_broadcast_f64x2(all, 0xc0, _mm_loadu_pd(at + 3 * step));
}
inline void store_pieces(float* at, int64_t step, vec<float> x) {
  _mm_storeu_ps(at, _mm512_castps512_ps128(x));
  _mm_storeu_ps(at + step, _mm512_extractf32x4_ps(x, 1));
  _mm_storeu_ps(at + 2 * step, _mm512_extractf32x4_ps(x, 2));
  _mm_storeu_ps(at + 3 * step, _mm512_extractf32x4_ps(x, 3));
}
inline void store_pieces(double* at, int64_t step, vec<double> x) {
  _mm_storeu_pd(at, _mm512_castpd512_pd128(x));
  _mm_storeu_pd(at + step, _mm512_extractf64x2_pd(x, 1));
  _mm_storeu_pd(at + 2 * step, _mm512_extractf64x2_pd(x, 2));
  _mm_storeu_pd(at + 3 * step, _mm512_extractf64x2_pd(x, 3));
}
#elif defined(__AVX2__)
inline vec<float> load_pieces(const float* at, int64_t step) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)), _mm_loadu_ps(at + step), 1);
}
inline vec<double> load_pieces(const double* at, int64_t step) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(at)), _mm_loadu_pd(at + step), 1);
}
inline void store_pieces(float* at, int64_t step, vec<float> x) {
  _mm_storeu_ps(at, _mm256_castps256_ps128(x));
  _mm_storeu_ps(at + step, _mm256_extractf128_ps(x, 1));
}
inline void store_pieces(double* at, int64_t step, vec<double> x) {
  _mm_storeu_pd(at, _mm256_castpd256_pd128(x));
  _mm_storeu_pd(at + step, _mm256_extractf128_pd(x, 1));
}
#else
template <typename T>
vec<T> load_pieces(const T* at, int64_t) {
  static_assert(vec<T>::size == piece<T>);
  return vec<T>::load_unaligned(at);
}
template <typename T>
void store_pieces(T* at, int64_t, vec<T> x) {
  x.store_unaligned(at);
}
#endif

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
