// erf and erfc, and gelu, which is x erfc(-x / sqrt(2)) / 2.
#pragma once

#include "error_function_tables.h"
#include "exp_parts.h"
#include "in_double.h"

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
inline vec<double> small_erf(vec<double> x) { return x * series(x * x, small_error_function); }

// exp(-square) exp(x^2) erfc(x) for x from 0.34, with the division's error put right.
inline with_exponent<double> tail_of(parts<double> x, parts<double> square) {
  using table = scaled_complement<double>;
  const vec<double> one(1);
  parts<double> divisor = sum_of(x.high, vec<double>(2));
  divisor.low = divisor.low + x.low;
  const vec<double> inverse = one / divisor.high, opposite = negative(inverse);
  const vec<double> error = multiply_add(opposite, divisor.low, exact_multiply_add(opposite, divisor.high, one));
  const vec<double> inverse_low = inverse * error;
  const parts<double> ratio = piecewise<double>({inverse, inverse_low}, table::step, table::ratio);
  const vec<double> low = multiply_add(inverse, ratio.low, inverse_low * ratio.high);
  const parts<double> tail = product_of(inverse, ratio.high);
  const auto [rest, n] = exp_of<double>({negative(square.high), negative(square.low)});
  return {tail.high + multiply_add(tail.high + low, rest, low + tail.low), n};
}

// In double, as exact as a float shows, for results above 1e-290.
inline vec<double> short_erfc(vec<double> x) {
  using table = scaled_complement<float>;
  const vec<double> size = at_most(1000.0, xsimd::abs(x));
  const vec<double> inverse = vec<double>(1) / (size + vec<double>(2));
  const vec<double> power = short_exp2(at_least(-1000.0, size * size * vec<double>(-number<double>::log2e)));
  const parts<double> ratio = piecewise(inverse, table::step, table::ratio);
  const vec<double> tail = power * (ratio.high + ratio.low) * inverse;
  return xsimd::select(x < vec<double>(0), vec<double>(2) - tail, tail);
}

inline vec<float> erfc(vec<float> x) {
  return in_double(x, [](vec<double> wide) { return short_erfc(wide); });
}
inline vec<double> erfc(vec<double> x) {
  const vec<double> size = at_most(28.0, xsimd::abs(x)), two(2);
  const with_exponent<double> tail = tail_of({size, vec<double>(0)}, product_of(size, size));
  const vec<double> upper = scale<double>(tail.mantissa, tail.n);
  const vec<double> large = xsimd::select(x < vec<double>(0), two - upper, upper);
  // Up to where the result falls below a half, and its last place becomes smaller than that of erf.
  return xsimd::select(size < vec<double>(0.46875), vec<double>(1) - small_erf(x), large);
}

// The element's function yields NaN at -infinity, as 0 times infinity is; far below zero the size does not count.
template <typename T>
vec<T> nan_at_lowest(vec<T> x, vec<T> result) {
  using limits = std::numeric_limits<T>;
  return xsimd::select(x == vec<T>(-limits::infinity()), vec<T>(limits::quiet_NaN()), result);
}

inline vec<float> gelu(vec<float> x) {
  const vec<float> limited = at_least(-16.0f, x);
  const vec<float> result = in_double(limited, [](vec<double> wide) {
    return wide * vec<double>(0.5) * short_erfc(wide * vec<double>(-0.70710678118654752440));
  });
  return nan_at_lowest(x, result);
}
inline vec<double> gelu(vec<double> x) {
  const vec<double> half(0.5), size = at_most(40.0, xsimd::abs(x));
  const parts<double> square = product_of(size, size);
  const vec<double> root_half(0x1.6a09e667f3bcdp-1), root_half_low(-0x1.bdd3413b26456p-55);
  parts<double> quotient = product_of(size, root_half);
  quotient.low = multiply_add(size, root_half_low, quotient.low);
  const with_exponent<double> tail = tail_of(quotient, {square.high * half, square.low * half});
  const vec<double> below = scale<double>((negative(size) * half) * tail.mantissa, tail.n);
  const vec<double> above = multiply_add(negative(size), scale<double>(half * tail.mantissa, tail.n), x);
  const vec<double> small = multiply_add(small_erf(x * root_half), half, half) * x;
  const vec<double> large = xsimd::select(x < vec<double>(0), below, above);
  return nan_at_lowest(x, xsimd::select(size < half, small, large));
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
