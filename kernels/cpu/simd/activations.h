// Activations and related functions of a SIMD register, built from exponentials and logarithms.
//
// The exponential is often kept as two parts, p and 2^n, until the end: this preserves small results for which exp(x)
// alone would be denormal.
#pragma once

#include "double_word.h"
#include "hyperbolic.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Below this, exp(x) is 0 even when multiplied by a number of the magnitude of x.
template <typename T>
inline constexpr T nothing_below = number<T>::exp_underflow - 10;

// With exp(-x) = 2^-n p: 1 / (1 + exp(-x)) = 2^n / (2^n + p), numerator and denominator times c: at the worst n, c + c
// 2^n has a smaller rounding error than 1 + 2^n, which is a tie there. (Of the factors from 5/4 to 3/2 with few bits,
// this one has the smallest error.)
template <typename T>
vec<T> sigmoid(vec<T> x) {
  using number = number<T>;
  x = at_least(nothing_below<T>, at_most(number::exp_one, x));
  if constexpr (fused) {
    const vec<T> n = nearest_exponent<T>(x), f = minus_rest_of<T>(x, n), c(number::sigmoid_factor);
    const vec<T> above = scale<T>(c, n);
    return above / multiply_add(f, polynomial(f, number::sigmoid_terms), c + above);
  } else {
    const auto [n, r] = reduce<T>(x);
    const vec<T> one(T(1)), above = scale<T>(one, n), base = one + above;
    return above / (base + (expm1_of_rest<T>(negative(r)) + lost_in_sum<T>(base, one, above)));
  }
}

// With exp(-x) = 2^-n p: x / (1 + exp(-x)) = 2^n x / (2^n + p).
template <typename T>
vec<T> silu(vec<T> x) {
  const vec<T> one(T(1)), kept = at_least(nothing_below<T>, x);
  const auto [n, r] = reduce<T>(at_most(number<T>::exp_one, kept));
  const vec<T> s = two_to<T>(n), base = one + s, lost = (one - base) + s;
  return nan_at_minus_infinity<T>(x, scale<T>(kept / (base + (expm1_of_rest<T>(negative(r)) + lost)), n));
}

// x tanh(log1p(w)) = x v / (v + 2), v = w (w + 2), w = exp(x) = 2^n p. Below zero, where v is small, the rounding
// errors of all parts are kept.
template <typename T>
vec<T> mish(vec<T> x) {
  const vec<T> two(T(2)), greatest(number<T>::exp_one), kept = at_least(nothing_below<T>, xsimd::min(greatest, x));
  const auto [n, p] = scaled_exp<T>(kept);
  const vec<T> w = scale<T>(p, n), above = multiply_add(p, w, p + p);
  const vec<T> above_low = multiply_add(p, w, (p + p) - above);
  const vec<T> v = scale<T>(above, n), below = v + two;
  const vec<T> below_low = ((two - below) + v) + scale<T>(above_low, n);
  const vec<T> product = kept * above, low = multiply_add(kept, above_low, negative(residual<T>(product, kept, above)));
  const vec<T> result = with_sign<T>(scale<T>(quotient<T>(product, low, below, below_low), n), x);
  return nan_at_minus_infinity<T>(x, xsimd::select(x > greatest, x, result));
}

// a + log(1 + exp(x + low)) for x <= 0. Without FMA, the rounding errors of the exponential t and of the sum are kept;
// the former is multiplied by the derivative of the logarithm, about 1 - t / 2, and the latter is NaN if a is infinite.
template <typename T, typename... Low>
vec<T> plus_log1p_of_exp(vec<T> a, vec<T> x, Low... low) {
  x = at_least(number<T>::exp_underflow, x);
  if constexpr (fused) {
    const auto [n, p] = scaled_exp<T>(x, low...);
    return a + log1p_of_part<T>(scale<T>(p, n));
  } else {
    const vec<T> one(T(1)), half(T(0.5));
    const auto [n, r] = reduce<T>(x);
    const vec<T> more = expm1_of_rest<T>((r + ... + low)), p = one + more;
    const vec<T> t = scale<T>(p, n), t_low = scale<T>((one - p) + more, n);
    const parts<T> sum = sum_of(a, t);
    const vec<T> rest = t * t * polynomial(t, number<T>::log1p_terms) + t_low * (one - t * half);
    return sum.high + xsimd::select(xsimd::isnan(sum.low), vec<T>(T(0)), sum.low + rest);
  }
}

template <typename T>
vec<T> log_sigmoid(vec<T> x) {
  return vec<T>(T(0)) - plus_log1p_of_exp<T>(at_least(T(0), negative(x)), negative(xsimd::abs(x)));
}

template <typename T>
vec<T> softplus(vec<T> x, T beta, T threshold) {
  const vec<T> y = x * vec<T>(beta);
  const vec<T> result = plus_log1p_of_exp<T>(at_least(T(0), y), negative(xsimd::abs(y))) / vec<T>(beta);
  return xsimd::select(y > vec<T>(threshold), x, result);
}

template <typename T>
vec<T> elu(vec<T> x, T alpha, T factor, T input_factor) {
  const vec<T> below = expm1<T>(x * vec<T>(input_factor)) * vec<T>(alpha) * vec<T>(factor);
  return xsimd::select(x <= vec<T>(T(0)), below, x * vec<T>(factor));
}

// log(x / (1 - x)), with x clamped to [eps, 1 - eps] if eps is not negative.
template <typename T>
vec<T> logit(vec<T> x, T eps) {
  if (eps >= T(0)) x = at_least(eps, at_most(T(1) - eps, x));
  const auto [high, low] = over_complement<T>(x, x);
  return log_of_pair<T>(high, low, vec<T>(T(0)));
}

// log(exp(a) + exp(b)). The rounding error of the difference is kept, as it would show where the sum cancels.
template <typename T>
vec<T> logaddexp(vec<T> a, vec<T> b) {
  constexpr T underflow = number<T>::exp_underflow;
  const vec<T> zero(T(0)), high = xsimd::max(a, b), less = xsimd::min(a, b), difference = less - high;
  // For two infinities the difference is NaN, or infinite with a NaN as its rounding error.
  const vec<T> lost =
      xsimd::select(difference > vec<T>(underflow), lost_in_sum<T>(difference, negative(high), less), zero);
  const vec<T> apart = xsimd::select(a == b, zero, difference);
  const vec<T> sum = plus_log1p_of_exp<T>(high, apart, lost);
  return xsimd::select(xsimd::isnan(a), a, xsimd::select(xsimd::isnan(b), b, sum));
}

template <typename T>
vec<T> xlogy(vec<T> a, vec<T> b) {
  const vec<T> product = a * log<T>(b);
  return xsimd::select((a == vec<T>(T(0))) & !xsimd::isnan(b), vec<T>(T(0)), product);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
