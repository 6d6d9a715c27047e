// The reciprocal square root of a SIMD register; the square root itself is an instruction.
#pragma once

#include "primitives.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
vec<T> rough_rsqrt(vec<T> x) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    return _mm512_rsqrt14_ps(x);
  } else {
    const vec<T> y = _mm512_rsqrt14_pd(x);
    const vec<T> e = multiply_add(negative(x * y), y, vec<T>(T(1)));
    return xsimd::select(xsimd::isnan(e), y, multiply_add(y * e, vec<T>(T(0.5)), y));
  }
#else
  return vec<T>(T(1)) / xsimd::sqrt(x);
#endif
}

// One Newton step (third order) from an estimate with half of the digits, or nearly all: y (1 + e / 2 + 3 / 8 e^2) with
// e = 1 - x y^2. At zero and infinity e is NaN, and y is already correct.
template <typename T>
vec<T> rsqrt(vec<T> x) {
  const vec<T> y = rough_rsqrt<T>(x);
  const vec<T> product = x * y;
  const vec<T> e = residual<T>(vec<T>(T(1)), product, y) + residual<T>(product, x, y) * y;
  const vec<T> better = multiply_add(y * e, multiply_add(e, vec<T>(T(0.375)), vec<T>(T(0.5))), y);
  return xsimd::select(xsimd::isnan(e), y, better);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
