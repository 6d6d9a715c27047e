// exp and log of a batch: full range, denormal numbers included, within two units in the last place.
//
// xsimd 8.1 has both, but its exp overflows below the largest float and its log is off for denormal doubles. (Two
// more of its traps, met in these folders: with AVX, NaN != NaN is false, so isnan is asked; -x is 0 - x.) Series
// with known remainders stand in place of fitted polynomials, so that each constant can be checked by eye.
#pragma once

#include <limits>

#include "batches.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct number;

// magic is 1.5 * 2^(mantissa bits): adding it to a small whole number leaves that number in the low bits.
template <>
struct number<float> {
  using bits = uint32_t;
  static constexpr int mantissa = 23;
  static constexpr uint32_t bias = 127;
  static constexpr float magic = 0x1.8p23f;
  static constexpr float ln2_high = 0x1.62e3p-1f;  // few enough bits for n * ln2_high to be exact
  static constexpr float ln2_low = 0x1.2fefa2p-17f;
  static constexpr float exp_underflow = -104.0f;
  static constexpr float exp_overflow = 89.0f;
  static constexpr int exp_terms = 7;
  static constexpr int log_terms = 4;
};

template <>
struct number<double> {
  using bits = uint64_t;
  static constexpr int mantissa = 52;
  static constexpr uint64_t bias = 1023;
  static constexpr double magic = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42feep-1;
  static constexpr double ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_underflow = -746.0;
  static constexpr double exp_overflow = 710.0;
  static constexpr int exp_terms = 13;
  static constexpr int log_terms = 10;
};

template <typename T>
vec<typename number<T>::bits> bits_of(vec<T> x) {
  return xsimd::bitwise_cast<vec<typename number<T>::bits>>(x);
}

template <typename T>
vec<T> from_bits(vec<typename number<T>::bits> x) {
  return xsimd::bitwise_cast<vec<T>>(x);
}

// 2^n for a whole n whose result is a normal number.
template <typename T>
vec<T> power_of_two(vec<T> n) {
  using number = number<T>;
  using bits = vec<typename number::bits>;
  return from_bits<T>((bits_of<T>(n + vec<T>(number::magic)) + bits(number::bias)) << number::mantissa);
}

// exp(x) = 2^n * exp(r) with |r| <= ln(2)/2, where the Taylor series leaves a tenth of a unit in the last place.
// 2^n is applied in two halves: n itself may lie below the smallest normal exponent or above the largest.
template <typename T>
vec<T> exp(vec<T> x) {
  using number = number<T>;
  const vec<T> magic(number::magic);
  x = xsimd::select(x > vec<T>(number::exp_overflow), vec<T>(number::exp_overflow), x);
  x = xsimd::select(x < vec<T>(number::exp_underflow), vec<T>(number::exp_underflow), x);
  const vec<T> n = (x * vec<T>(T(1.4426950408889634)) + magic) - magic;
  vec<T> r = xsimd::fma(n, vec<T>(-number::ln2_high), x);
  r = xsimd::fma(n, vec<T>(-number::ln2_low), r);

  T factorial = 1;
  for (int k = 2; k <= number::exp_terms; ++k) factorial *= T(k);
  vec<T> series(T(1) / factorial);
  for (int k = number::exp_terms; k > 1; --k) {
    factorial /= T(k);
    series = xsimd::fma(series, r, vec<T>(T(1) / factorial));
  }
  series = xsimd::fma(series, r, vec<T>(T(1)));

  const vec<T> half = (n * vec<T>(T(0.5)) + magic) - magic;
  return series * power_of_two<T>(half) * power_of_two<T>(n - half);
}

// log(x) = k ln 2 + log(1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); the latter through s = f / (2 + f), since
// log(1 + f) = 2 atanh(s) = f - s (f - R) with R = 2/3 s^2 + 2/5 s^4 + ...
template <typename T>
vec<T> log(vec<T> x) {
  using number = number<T>;
  using bits = vec<typename number::bits>;
  using limits = std::numeric_limits<T>;
  const vec<T> one(T(1));
  const vec<T> zero(T(0));

  constexpr T rescue = T(typename number::bits(1) << (number::mantissa + 2));  // lifts denormal to normal numbers
  const auto small = x < vec<T>((limits::min)());
  const vec<T> normal = xsimd::select(small, x * vec<T>(rescue), x);

  // A biased exponent in the low bits of 2^mantissa is that number added to it.
  constexpr T shift = T(typename number::bits(1) << number::mantissa);
  const bits raw = bits_of<T>(normal);
  const vec<T> biased = from_bits<T>((raw >> number::mantissa) | bits_of<T>(vec<T>(shift))) - vec<T>(shift);
  vec<T> k = biased - xsimd::select(small, vec<T>(T(number::bias + number::mantissa + 2)), vec<T>(T(number::bias)));
  const bits mantissa_mask((typename number::bits(1) << number::mantissa) - 1);
  vec<T> m = from_bits<T>((raw & mantissa_mask) | bits_of<T>(one));
  const auto upper = m > vec<T>(T(1.4142135623730951));
  m = xsimd::select(upper, m * vec<T>(T(0.5)), m);
  k = k + xsimd::select(upper, one, zero);

  const vec<T> f = m - one;
  const vec<T> s = f / (f + vec<T>(T(2)));
  const vec<T> z = s * s;
  vec<T> series(T(2) / T(2 * number::log_terms + 1));
  for (int term = number::log_terms - 1; term > 0; --term) {
    series = xsimd::fma(series, z, vec<T>(T(2) / T(2 * term + 1)));
  }
  const vec<T> half_square = f * f * vec<T>(T(0.5));
  const vec<T> small_part = xsimd::fma(s, half_square + series * z, k * vec<T>(number::ln2_low));
  vec<T> result = xsimd::fma(k, vec<T>(number::ln2_high), f - (half_square - small_part));

  result = xsimd::select(x == vec<T>(limits::infinity()), x, result);
  result = xsimd::select(x == zero, vec<T>(-limits::infinity()), result);
  result = xsimd::select(x < zero, vec<T>(limits::quiet_NaN()), result);
  return xsimd::select(xsimd::isnan(x), x, result);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
