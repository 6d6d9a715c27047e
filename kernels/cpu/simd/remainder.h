// fmod, remainder and floored division, all with exact remainders.
//
// A quotient of moderate size is rounded to zero and multiplied back without a rounding error. Registers with an
// element that does not allow this (a large quotient, a zero, infinite or NaN divisor) are computed by the C library.
#pragma once

#include <math.h>

#include "in_double.h"
#include "primitives.h"
#include "rounding.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The remainders of floats, in double: a float times a whole number below 2^29 has at most 53 bits. The quotient
// differs from a whole number by at least 2^-24, which exceeds its rounding error, so it is never rounded up to one.
inline vec<double> remainder_of_floats(vec<double> a, vec<double> b) {
  const vec<double> quotient = whole_part<double>(a / b), rest = a - quotient * b;
  return xsimd::select(xsimd::abs(quotient) < vec<double>(0x1p29), rest,
                       vec<double>(std::numeric_limits<double>::quiet_NaN()));
}
inline vec<float> remainder_or_nan(vec<float> a, vec<float> b) { return in_double(a, b, remainder_of_floats); }

// The quotient may be rounded up to a whole number; the remainder then has the opposite sign of a. Like the remainder
// itself this is an exact multiple of the lowest bit of b.
inline vec<double> remainder_or_nan(vec<double> a, vec<double> b) {
  const vec<double> nan(std::numeric_limits<double>::quiet_NaN());
  if constexpr (!fused) return nan;
  const vec<double> x = xsimd::abs(a), y = xsimd::abs(b), quotient = whole_part<double>(x / y);
  const vec<double> rest = residual<double>(x, quotient, y);
  const vec<double> corrected = xsimd::select(rest < vec<double>(0), rest + y, rest);
  return xsimd::select(quotient < vec<double>(0x1p52), corrected, nan);
}

template <typename T>
vec<T> remainder_of_each(vec<T> a, vec<T> b) {
  alignas(64) T x[vec<T>::size], y[vec<T>::size];
  a.store_aligned(x);
  b.store_aligned(y);
  for (size_t i = 0; i < vec<T>::size; ++i) x[i] = T(::fmod(x[i], y[i]));
  return vec<T>::load_aligned(x);
}

template <typename T>
vec<T> fmod(vec<T> a, vec<T> b) {
  const vec<T> rest = remainder_or_nan(a, b);
  if (!xsimd::all(rest == rest)) return remainder_of_each<T>(a, b);
  return with_sign<T>(rest, a);
}

// Where the remainder does not have the sign of the divisor. Comparisons of conditions are wrong in xsimd 8.1 for SSE2.
template <typename T>
auto opposite(vec<T> rest, vec<T> b) {
  const vec<T> one(T(1));
  return (rest != vec<T>(T(0))) & (with_sign<T>(one, rest) != with_sign<T>(one, b));
}

template <typename T>
vec<T> remainder(vec<T> a, vec<T> b) {
  const vec<T> rest = fmod<T>(a, b);
  return xsimd::select(opposite<T>(rest, b), rest + b, rest);
}

template <typename T>
vec<T> div_floor(vec<T> a, vec<T> b) {
  const vec<T> zero(T(0)), one(T(1)), rest = fmod<T>(a, b), ratio = a / b, all = (a - rest) / b;
  const vec<T> quotient = xsimd::select(opposite<T>(rest, b), all - one, all), whole = whole_below<T>(quotient);
  const vec<T> nearest = xsimd::select(quotient - whole > vec<T>(T(0.5)), whole + one, whole);
  return xsimd::select(b == zero, ratio, xsimd::select(quotient == zero, with_sign<T>(zero, ratio), nearest));
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
