// Activations and other functions of a vector that are made of exponentials and logarithms.
//
// The exponential often stays in two parts, p 2^n, until the end: that keeps the small values that a denormal
// exponential would have lost.
#pragma once

#include "hyperbolic.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Where the exponential of this and all below it is nothing, even times a number of the same size.
template <typename T>
inline constexpr T nothing_below = number<T>::exp_underflow - 10;

// With exp(-x) = 2^-n p: 1 / (1 + exp(-x)) = 2^n / (2^n + p), both c times: c + c 2^n loses less at its worst n than 1
// + 2^n does, which is a tie there. (Of the factors from 5/4 to 3/2 with few bits, this one has the least error.)
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

// As the formula x / (1 + exp(-x)) has it, NaN for -inf; so has mish.
template <typename T>
vec<T> nan_at_minus_infinity(vec<T> x, vec<T> result) {
  using limits = std::numeric_limits<T>;
  return xsimd::select(x == vec<T>(-limits::infinity()), vec<T>(limits::quiet_NaN()), result);
}

// With exp(-x) = 2^-n p: x / (1 + exp(-x)) = 2^n x / (2^n + p).
template <typename T>
vec<T> silu(vec<T> x) {
  const vec<T> one(T(1)), kept = at_least(nothing_below<T>, x);
  const auto [n, r] = reduce<T>(at_most(number<T>::exp_one, kept));
  const vec<T> s = two_to<T>(n), base = one + s, lost = (one - base) + s;
  return nan_at_minus_infinity<T>(x, scale<T>(kept / (base + (expm1_of_rest<T>(negative(r)) + lost)), n));
}

// x tanh(log1p(w)) = x w (w + 2) / (w (w + 2) + 2), w = exp(x) = 2^n p: below zero, where w is small, above and below
// keep what they lose. Over zero it is x - 2x / (w (w + 2) + 2).
template <typename T>
vec<T> mish(vec<T> x) {
  const vec<T> two(T(2)), kept = at_least(nothing_below<T>, at_most(number<T>::exp_one, x));
  const auto [n, p] = scaled_exp<T>(kept);
  const vec<T> w = scale<T>(p, n), more = w + two, below = multiply_add(w, more, two);
  const vec<T> above = multiply_add(p, w, p + p), above_low = multiply_add(p, w, (p + p) - above);
  const vec<T> product = kept * above, low = multiply_add(kept, above_low, negative(residual<T>(product, kept, above)));
  const vec<T> small = scale<T>(quotient<T>(product, low, below, multiply_add(w, more, two - below)), n);
  const vec<T> result = xsimd::select(x > vec<T>(T(0)), x - (kept + kept) / below, small);
  return nan_at_minus_infinity<T>(x, with_sign<T>(result, x));
}

template <typename T>
vec<T> log_sigmoid(vec<T> x) {
  return at_most(T(0), x) - log1p_of_part<T>(exp<T>(negative(xsimd::abs(x))));
}

template <typename T>
vec<T> softplus(vec<T> x, T beta, T threshold) {
  const vec<T> y = x * vec<T>(beta);
  const vec<T> result = (at_least(T(0), y) + log1p_of_part<T>(exp<T>(negative(xsimd::abs(y))))) / vec<T>(beta);
  return xsimd::select(y > vec<T>(threshold), x, result);
}

template <typename T>
vec<T> elu(vec<T> x, T alpha, T factor, T input_factor) {
  const vec<T> below = expm1<T>(x * vec<T>(input_factor)) * vec<T>(alpha) * vec<T>(factor);
  return xsimd::select(x <= vec<T>(T(0)), below, x * vec<T>(factor));
}

// log(x / (1 - x)), of x between eps and 1 - eps where eps is not negative.
template <typename T>
vec<T> logit(vec<T> x, T eps) {
  if (eps >= T(0)) x = at_least(eps, at_most(T(1) - eps, x));
  const auto [high, low] = over_complement<T>(x, x);
  return log_of_pair<T>(high, low, vec<T>(T(0)));
}

// The difference keeps what it loses: that would show where the sum cancels.
template <typename T>
vec<T> logaddexp(vec<T> a, vec<T> b) {
  constexpr T underflow = number<T>::exp_underflow;
  const vec<T> zero(T(0)), high = xsimd::max(a, b), less = xsimd::min(a, b), difference = less - high;
  // Of two infinities the difference is NaN, or infinite with a NaN for what it lost.
  const vec<T> lost =
      xsimd::select(difference > vec<T>(underflow), lost_in_sum<T>(difference, negative(high), less), zero);
  const auto [n, p] = scaled_exp<T>(at_least(underflow, xsimd::select(a == b, zero, difference)), lost);
  const vec<T> sum = high + log1p_of_part<T>(scale<T>(p, n));
  return xsimd::select(xsimd::isnan(a), a, xsimd::select(xsimd::isnan(b), b, sum));
}

template <typename T>
vec<T> xlogy(vec<T> a, vec<T> b) {
  const vec<T> product = a * log<T>(b);
  return xsimd::select((a == vec<T>(T(0))) & !xsimd::isnan(b), vec<T>(T(0)), product);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
