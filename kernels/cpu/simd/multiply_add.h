// a * b + c in one rounding where the processor has it, all but SSE2. xsimd 8.1 has no such instruction of AVX-512: its
// fma there is a product and a sum.
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

// a * b - c, likewise.
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
