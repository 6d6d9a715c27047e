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

// gelu, which is x P(x), for x < 0, down to where it is 0.
inline vec<float> gelu_below(vec<float> x) {
  const vec<float> kept = at_least(-scaled_normal_tail::zero_from, x);
  const with_exponent<float> tail = normal_tail(negative(kept));
  const vec<float> product = exact_multiply_add(kept, tail.mantissa.high, kept * tail.mantissa.low);
  return nan_at_minus_infinity<float>(x, scale<float>(product, tail.n));
}

[[gnu::noinline]] inline vec<float> with_gelu_far_below(vec<float> x, vec<float> result) {
  return xsimd::select(x < vec<float>(-lost_by_gelu::up_to), gelu_below(x), result);
}

// max(x, 0) less what is lost, which below zero is the whole result, so nothing cancels. Above lost_by_gelu::up_to the
// loss is taken as constant, 0.6 ulp of x. Of two zeros the maximum is x.
inline vec<float> gelu(vec<float> x) {
  using table = lost_by_gelu;
  const auto [index, rest] = piece_of(at_most(table::up_to, xsimd::abs(x)), table::step);
  vec<float> lost = polynomial_of_piece<2>(index, rest, table::terms);
  lost = exact_multiply_add(lost, rest, entry_of(table::terms[1], index));
  lost = exact_multiply_add(lost, rest, entry_of(table::terms[0], index));
  const vec<float> result = at_least(-0.0f, x) - lost;
  if (xsimd::any(x < vec<float>(-table::up_to))) [[unlikely]]
    return with_gelu_far_below(x, result);
  return result;
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
