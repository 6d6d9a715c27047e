// a * b + c with one rounding where the processor has FMA: all architectures but SSE2. xsimd 8.1 does not use the
// AVX-512 instruction: its fma is a multiplication and an addition there.
#pragma once

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline constexpr bool fused = !std::is_same_v<isa, xsimd::sse2>;

template <typename T>
vec<T> multiply_add(vec<T> a, vec<T> b, vec<T> c) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) return _mm512_fmadd_ps(a, b, c);
  if constexpr (std::is_same_v<T, double>) return _mm512_fmadd_pd(a, b, c);
#else
  return xsimd::fma(a, b, c);
#endif
}

// a * b - c, with one rounding where available.
template <typename T>
vec<T> multiply_subtract(vec<T> a, vec<T> b, vec<T> c) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) return _mm512_fmsub_ps(a, b, c);
  if constexpr (std::is_same_v<T, double>) return _mm512_fmsub_pd(a, b, c);
#else
  return xsimd::fms(a, b, c);
#endif
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
