// Primitive SIMD operations that xsimd 8.1 lacks or implements slowly: each for AVX-512 and in a generic form.
//
// Other defects of xsimd 8.1: with AVX, NaN != NaN is false, so isnan is used; -x is 0 - x, which loses the sign of
// zero.
#pragma once

#include <limits>
#include <type_traits>

#include "multiply_add.h"
#include "number_traits.h"
#include "simd/simd.h"

#if defined(__AVX512F__)
#  include <immintrin.h>
#endif

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// xsimd names the type of the result's elements since version 9, and before it that of the whole result.
template <typename To, typename From>
vec<To> bit_cast(vec<From> x) {
  if constexpr (std::is_same_v<decltype(xsimd::bitwise_cast<To>(x)), vec<To>>)
    return xsimd::bitwise_cast<To>(x);
  else
    return xsimd::bitwise_cast<vec<To>>(x);
}

template <typename T>
vec<typename number<T>::bits> bits_of(vec<T> x) {
  return bit_cast<typename number<T>::bits>(x);
}

template <typename T>
vec<T> from_bits(vec<typename number<T>::bits> x) {
  return bit_cast<T>(x);
}

// Minimum (maximum) of a register and a limit; NaN propagates.
template <typename T>
vec<T> at_most(T limit, vec<T> x) {
  return xsimd::min(vec<T>(limit), x);
}
template <typename T>
vec<T> at_least(T limit, vec<T> x) {
  return xsimd::max(vec<T>(limit), x);
}

template <typename T>
vec<T> negative(vec<T> x) {
  return x ^ vec<T>(T(-0.0));
}

// The absolute value of `size` with the sign of `sign`.
template <typename T>
vec<T> with_sign(vec<T> size, vec<T> sign) {
  const vec<T> bit(T(-0.0));
#if defined(__AVX512F__)
  constexpr int choose = 0xca;  // ternary logic table of (a & b) | (~a & c)
  if constexpr (std::is_same_v<T, float>) {
    return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(bit), _mm512_castps_si512(sign),
                                                         _mm512_castps_si512(size), choose));
  } else {
    return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(bit), _mm512_castpd_si512(sign),
                                                         _mm512_castpd_si512(size), choose));
  }
#else
  return (sign & bit) | xsimd::abs(size);
#endif
}

// 2^n for an integer n whose result is a normal number.
template <typename T>
vec<T> power_of_two(vec<T> n) {
  using number = number<T>;
  using bits = vec<typename number::bits>;
  return from_bits<T>((bits_of<T>(n + vec<T>(number::magic)) + bits(number::bias)) << number::mantissa);
}

// x * 2^n for an integer n, rounded once; |n| up to twice the exponent range.
template <typename T>
vec<T> scale(vec<T> x, vec<T> n) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) return _mm512_scalef_ps(x, n);
  if constexpr (std::is_same_v<T, double>) return _mm512_scalef_pd(x, n);
#else
  const vec<T> magic(number<T>::magic);
  const vec<T> half = (n * vec<T>(T(0.5)) + magic) - magic;
  return x * power_of_two<T>(half) * power_of_two<T>(n - half);
#endif
}

// power * 2^n for an integer n below the overflow exponent; `power` is a power of two. Where 2^n would be denormal, the
// smallest normal number replaces it, except with AVX-512.
template <typename T>
vec<T> two_to(vec<T> n, T power = 1) {
#if defined(__AVX512F__)
  return scale<T>(vec<T>(power), n);
#else
  return power_of_two<T>(at_least(T(1) - T(number<T>::bias), n)) * vec<T>(power);
#endif
}

// a - b * c without rounding the product.
template <typename T>
vec<T> residual(vec<T> a, vec<T> b, vec<T> c) {
  if constexpr (fused) {
    return multiply_add(negative(b), c, a);
  } else {
    // Veltkamp and Dekker: b and c are split into parts short enough for their products to be exact.
    const auto mask =
        vec<typename number<T>::bits>(~((typename number<T>::bits(1) << (number<T>::mantissa / 2 + 1)) - 1));
    const vec<T> b_high = from_bits<T>(bits_of<T>(b) & mask), c_high = from_bits<T>(bits_of<T>(c) & mask);
    const vec<T> b_low = b - b_high, c_low = c - c_high;
    return (((a - b_high * c_high) - b_high * c_low) - b_low * c_high) - b_low * c_low;
  }
}

// The rounding error of sum = a + b.
template <typename T>
vec<T> lost_in_sum(vec<T> sum, vec<T> a, vec<T> b) {
  const vec<T> back = sum - a;
  return (a - (sum - back)) + (b - back);
}

// (a + a_low) / (b + b_low) for small low parts, almost correctly rounded; loses the sign of a zero.
template <typename T>
vec<T> quotient(vec<T> a, vec<T> a_low, vec<T> b, vec<T> b_low) {
  const vec<T> inverse = vec<T>(T(1)) / b, q = a * inverse;
  return multiply_add(residual<T>(a, q, b) + (a_low - q * b_low), inverse, q);
}

// PyTorch's activations of the form x * f(x) yield NaN at -infinity, where f is zero.
template <typename T>
vec<T> nan_at_minus_infinity(vec<T> x, vec<T> result) {
  using limits = std::numeric_limits<T>;
  return xsimd::select(x == vec<T>(-limits::infinity()), vec<T>(limits::quiet_NaN()), result);
}

// A polynomial by Horner's rule, highest coefficient first.
template <typename T, size_t Terms>
vec<T> polynomial(vec<T> x, const T (&terms)[Terms]) {
  vec<T> sum(terms[0]);
#pragma clang loop unroll(full)
  for (size_t i = 1; i < Terms; ++i) sum = multiply_add(sum, x, vec<T>(terms[i]));
  return sum;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
