// Evaluates float functions in double: correct up to the final rounding, without special care for cancellation.
#pragma once

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

struct doubles {
  vec<double> first, second;
};

#if defined(__AVX512F__)

inline doubles widen(vec<float> x) {
  return {_mm512_cvtps_pd(_mm512_castps512_ps256(x)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))};
}
inline vec<float> narrow(vec<double> first, vec<double> second) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(first)), _mm512_cvtpd_ps(second), 1);
}

#elif defined(__AVX2__)

inline doubles widen(vec<float> x) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(x)), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))};
}
inline vec<float> narrow(vec<double> first, vec<double> second) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(first)), _mm256_cvtpd_ps(second), 1);
}

#else

inline doubles widen(vec<float> x) { return {_mm_cvtps_pd(x), _mm_cvtps_pd(_mm_movehl_ps(x, x))}; }
inline vec<float> narrow(vec<double> first, vec<double> second) {
  return _mm_movelh_ps(_mm_cvtpd_ps(first), _mm_cvtpd_ps(second));
}

#endif

template <typename F>
vec<float> in_double(vec<float> x, F f) {
  const doubles wide = widen(x);
  return narrow(f(wide.first), f(wide.second));
}

template <typename F>
vec<float> in_double(vec<float> x, vec<float> y, F f) {
  const doubles a = widen(x), b = widen(y);
  return narrow(f(a.first, b.first), f(a.second, b.second));
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
