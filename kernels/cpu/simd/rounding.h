// Rounding to integers for processors without an instruction for it (SSE2), exact for every number; keeps the sign of
// zero.
#pragma once

#include <math.h>

#include "primitives.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Ties to even. From 2^mantissa on all numbers are integers; adding 2^mantissa to a smaller one rounds its fraction
// away.
template <typename T>
vec<T> nearest_whole(vec<T> x) {
  const vec<T> size = xsimd::abs(x), shift(T(typename number<T>::bits(1) << number<T>::mantissa));
  return with_sign<T>(xsimd::select(size < shift, (size + shift) - shift, size), x);
}

template <typename T>
vec<T> one_where(typename vec<T>::batch_bool_type condition) {
  return xsimd::select(condition, vec<T>(T(1)), vec<T>(T(0)));
}

template <typename T>
vec<T> floor(vec<T> x) {
  const vec<T> nearest = nearest_whole<T>(x);
  return nearest - one_where<T>(nearest > x);
}

template <typename T>
vec<T> ceil(vec<T> x) {
  return negative(floor<T>(negative(x)));
}

template <typename T>
vec<T> trunc(vec<T> x) {
  return with_sign<T>(floor<T>(xsimd::abs(x)), x);
}

// By the processor's instruction where it has one.
template <typename T>
vec<T> whole_part(vec<T> x) {
#if defined(__SSE4_1__)
  return xsimd::trunc(x);
#else
  return trunc<T>(x);
#endif
}

template <typename T>
vec<T> whole_below(vec<T> x) {
#if defined(__SSE4_1__)
  return xsimd::floor(x);
#else
  return floor<T>(x);
#endif
}

// Rounds to `decimals` decimals, as fn::round in float_functions.h does.
template <typename T>
vec<T> round(vec<T> x, T decimals) {
  if (decimals == T(0)) return nearest_whole<T>(x);
  const vec<T> infinity(std::numeric_limits<T>::infinity()), scale(T(::pow(T(10), ::fabs(decimals))));
  if (decimals < T(0)) {
    const vec<T> whole = nearest_whole<T>(x / scale), zero(T(0));
    const vec<T> result = xsimd::select(whole == zero, whole, whole * scale);
    return xsimd::select(xsimd::abs(x) < infinity, result, x);
  }
  const vec<T> scaled = x * scale;
  return xsimd::select(xsimd::abs(scaled) < infinity, nearest_whole<T>(scaled) / scale, x);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
