// log, log2, log10 and log1p of a SIMD register: x = 2^k (1 + f) with 1 + f from 3/4 to 3/2, log(x) = k ln 2 + log(1 +
// f).
#pragma once

#include <limits>

#include "primitives.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// x = 2^k m, 3/4 <= m < 3/2.
template <typename T>
struct split_number {
  vec<T> k, m;
};

// The AVX-512 instructions also handle special cases: k is infinite for infinity and zero, m is NaN below zero.
template <typename T>
split_number<T> split(vec<T> x) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, float>) {
    const vec<T> m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {vec<T>(_mm512_getexp_ps(x)) - vec<T>(_mm512_getexp_ps(m)), m};
  } else {
    const vec<T> m = _mm512_getmant_pd(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
    return {vec<T>(_mm512_getexp_pd(x)) - vec<T>(_mm512_getexp_pd(m)), m};
  }
#else
  using number = number<T>;
  using word = typename number::bits;
  constexpr int lift = number::mantissa + 2;  // scales denormal numbers to normal ones
  const auto small = x < vec<T>((std::numeric_limits<T>::min)());
  const auto raw = bits_of<T>(xsimd::select(small, x * vec<T>(T(word(1) << lift)), x));
  // Adding half a unit of the exponent yields the exponent of x / 0.75.
  const auto biased = (raw + vec<word>(word(1) << (number::mantissa - 1))) >> number::mantissa;
  const auto m = raw - ((biased - vec<word>(number::bias)) << number::mantissa);
  // OR of an integer into the low bits of 2^mantissa adds the integer to that number.
  constexpr T shift = T(word(1) << number::mantissa);
  const vec<T> k = from_bits<T>(biased | bits_of<T>(vec<T>(shift))) - vec<T>(shift);
  const auto bias = vec<T>(T(number::bias));
  return {k - xsimd::select(small, bias + vec<T>(T(lift)), bias), from_bits<T>(m)};
#endif
}

// Sets the logarithms of infinity, zero and negative numbers, where the computation does not yield them.
template <typename T>
vec<T> with_limits(vec<T> x, vec<T> result) {
  using limits = std::numeric_limits<T>;
  result = xsimd::select(x == vec<T>(limits::infinity()), x, result);
  result = xsimd::select(x == vec<T>(T(0)), vec<T>(-limits::infinity()), result);
#if !defined(__AVX512F__)
  result = xsimd::select(x < vec<T>(T(0)), vec<T>(limits::quiet_NaN()), result);
  result = xsimd::select(xsimd::isnan(x), x, result);
#endif
  return result;
}

// log(1 + f) - f. For double through s = f / (2 + f), whose series has half as many terms: log(1 + f) = 2 atanh(s).
template <typename T>
vec<T> log1p_rest(vec<T> f) {
  using number = number<T>;
  const vec<T> half(T(0.5));
  if constexpr (std::is_same_v<T, float>) {
    return f * f * multiply_add(f, polynomial(f, number::log_terms), negative(half));
  } else {
    const vec<T> s = f / (f + vec<T>(T(2)));
    const vec<T> z = s * s, half_square = f * f * half;
    return multiply_add(s, multiply_add(z, polynomial(z, number::log_terms), half_square), negative(half_square));
  }
}

// The natural logarithm of 2^k (1 + f).
template <typename T>
vec<T> log_of_parts(vec<T> k, vec<T> f) {
  if constexpr (std::is_same_v<T, float> && fused) {
    return multiply_add(k, vec<T>(number<T>::ln2), f + log1p_rest<T>(f));
  } else {
    const vec<T> low = multiply_add(k, vec<T>(number<T>::ln2_low), log1p_rest<T>(f));
    return multiply_add(k, vec<T>(number<T>::ln2_high), f + low);
  }
}

template <typename T>
vec<T> log(vec<T> x) {
  const auto [k, m] = split<T>(x);
  const vec<T> result = log_of_parts<T>(k, m - vec<T>(T(1)));
#if defined(__AVX512F__)
  return result;
#else
  return with_limits<T>(x, result);
#endif
}

// A logarithm to another base b: log_b(e) and log_b(2), each in two parts.
template <typename T>
struct base {
  T e, e_low, two, two_low;
};

template <typename T>
vec<T> log_to(vec<T> x, base<T> b) {
  const auto [k, m] = split<T>(x);
  const vec<T> f = m - vec<T>(T(1));
  const vec<T> e(b.e), exponent = k * vec<T>(b.two), product = f * e;
  vec<T> low = multiply_add(f, vec<T>(b.e_low), negative(residual<T>(product, f, e)));
  low = multiply_add(log1p_rest<T>(f), e, low);
  if (b.two_low != T(0)) low = multiply_add(k, vec<T>(b.two_low), low);
  // The two parts may cancel up to one half: the rounding error of their sum is kept.
  const vec<T> sum = exponent + product;
  return with_limits<T>(x, sum + (((exponent - sum) + product) + low));
}

template <typename T>
vec<T> log2(vec<T> x) {
  if constexpr (std::is_same_v<T, float>) return log_to<T>(x, {0x1.715476p+0f, 0x1.4ae0cp-26f, 1, 0});
  if constexpr (std::is_same_v<T, double>) return log_to<T>(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56, 1, 0});
}

template <typename T>
vec<T> log10(vec<T> x) {
  if constexpr (std::is_same_v<T, float>) {
    return log_to<T>(x, {0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f, 0x1.3509f8p-18f});
  } else {
    return log_to<T>(x, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f78p-2, 0x1.fef311f12b358p-46});
  }
}

// log(2^more (u + e)) for a small e: the rounding error of u.
template <typename T>
vec<T> log_of_pair(vec<T> u, vec<T> e, vec<T> more) {
  const auto [k, m] = split<T>(u);
  const vec<T> f = (m - vec<T>(T(1))) + scale<T>(e, negative(k));
  return with_limits<T>(u, log_of_parts<T>(k + more, f));
}

// log(1 + x + e); loses the sign of a zero.
template <typename T>
vec<T> log1p_of_pair(vec<T> x, vec<T> e) {
  const vec<T> one(T(1)), u = one + x;
  return log_of_pair<T>(u, lost_in_sum<T>(u, one, x) + e, vec<T>(T(0)));
}

template <typename T>
vec<T> log1p(vec<T> x) {
  return with_sign<T>(log1p_of_pair<T>(x, vec<T>(T(0))), x);
}

// log(1 + t) for t from 0 to 1.
template <typename T>
vec<T> log1p_of_part(vec<T> t) {
  return multiply_add(t * t, polynomial(t, number<T>::log1p_terms), t);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
