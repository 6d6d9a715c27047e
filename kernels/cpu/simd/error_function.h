// erf, erfc, and gelu, which is x erfc(-x / sqrt(2)) / 2.
#pragma once

#include "error_function_tables.h"
#include "exp_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
vec<T> erf(vec<T> x) {
  using table = error_function<T>;
  const vec<T> size = at_most(table::one_from, xsimd::abs(x));
  const parts<T> ratio = piecewise(size, table::step, table::ratio);
  return with_sign<T>(at_most(T(1), multiply_add(size, ratio.high, size * ratio.low)), x);
}

// erf(x) for |x| <= 1/2.
template <typename T>
vec<T> small_erf(vec<T> x) {
  return multiply_add(x, vec<T>(error_function<T>::small_first),
                      x * ascending_polynomial(x * x, error_function<T>::small));
}

// exp(-square) exp(x^2) erfc(x) for x from 0.34, with the rounding error of the division corrected.
template <typename T>
with_exponent<T> tail_of(parts<T> x, parts<T> square) {
  using table = scaled_complement<T>;
  const vec<T> one(T(1));
  parts<T> divisor = sum_of(x.high, vec<T>(T(2)));
  divisor.low = divisor.low + x.low;
  const vec<T> inverse = one / divisor.high, opposite = negative(inverse);
  const vec<T> error = multiply_add(opposite, divisor.low, exact_multiply_add(opposite, divisor.high, one));
  const vec<T> inverse_low = inverse * error;
  const parts<T> ratio = piecewise<T>({inverse, inverse_low}, table::step, table::ratio);
  const vec<T> low = multiply_add(inverse, ratio.low, inverse_low * ratio.high);
  const parts<T> tail = product_of(inverse, ratio.high);
  const auto [rest, n] = exp_of<T>({negative(square.high), negative(square.low)});
  return {sum_of_ordered(tail.high, multiply_add(tail.high + low, rest, low + tail.low)), n};
}

template <typename T>
vec<T> erfc(vec<T> x) {
  const vec<T> size = at_most(scaled_complement<T>::zero_from, xsimd::abs(x)), two(T(2));
  const with_exponent<T> tail = tail_of<T>({size, vec<T>(T(0))}, product_of(size, size));
  const vec<T> upper = scale<T>(tail.mantissa.high, tail.n);
  const vec<T> large = xsimd::select(x < vec<T>(T(0)), two - upper, upper);
  // Used up to where the result falls below 1/2 and its ulp becomes smaller than that of erf.
  return xsimd::select(size < vec<T>(scaled_complement<T>::half_at), vec<T>(T(1)) - small_erf(x), large);
}

// P(-size) with P the normal distribution function; the low part of the mantissa is no rounding error.
inline with_exponent<float> normal_tail(vec<float> size) {
  using table = scaled_normal_tail;
  const parts<float> square = product_of(size, size), ratio = piecewise(size, table::step, table::ratio);
  const vec<float> half(-0.5f);
  const auto [n, r] = reduce<float>(square.high * half);
  const vec<float> rest = expm1_of_rest<float>(multiply_add(square.low, half, r));
  return {{ratio.high, multiply_add(ratio.high + ratio.low, rest, ratio.low)}, n};
}

// x P(x), which does not cancel below zero: there it is -|x| P(-|x|), and above zero x more.
inline vec<float> gelu(vec<float> x) {
  const vec<float> size = at_most(scaled_normal_tail::zero_from, xsimd::abs(x)), opposite = negative(size);
  const with_exponent<float> tail = normal_tail(size);
  const vec<float> product = exact_multiply_add(opposite, tail.mantissa.high, opposite * tail.mantissa.low);
  const vec<float> result = scale<float>(product, tail.n) + at_least(0.0f, x);
  return nan_at_minus_infinity<float>(x, with_sign<float>(result, x));
}

// The size is clamped: far below zero the result is 0.
inline vec<double> gelu(vec<double> x) {
  using T = double;
  const vec<T> half(T(0.5)), size = at_most(scaled_complement<T>::zero_from * T(1.43), xsimd::abs(x));
  const parts<T> square = product_of(size, size);
  const vec<T> root_half(0x1.6a09e667f3bcdp-1);
  const vec<T> root_half_low(-0x1.bdd3413b26456p-55);
  parts<T> quotient = product_of(size, root_half);
  quotient.low = multiply_add(size, root_half_low, quotient.low);
  const with_exponent<T> tail = tail_of<T>(quotient, {square.high * half, square.low * half});
  const vec<T> factor = negative(size) * half;
  const vec<T> product = exact_multiply_add(factor, tail.mantissa.high, factor * tail.mantissa.low);
  const vec<T> below = scale<T>(product, tail.n), above = multiply_add(factor, scale<T>(tail.mantissa.high, tail.n), x);
  const vec<T> small = with_sign<T>(exact_multiply_add(small_erf(x * root_half), x * half, x * half), x);
  const vec<T> large = xsimd::select(x < vec<T>(T(0)), below, above);
  return nan_at_minus_infinity<T>(x, xsimd::select(size < half, small, large));
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
