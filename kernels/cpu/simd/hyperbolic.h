// Hyperbolic functions of a SIMD register and their inverses.
//
// Computed for |x|, then the sign is restored: all but cosh and acosh are odd. None of the forms cancels near zero.
#pragma once

#include "exponential.h"
#include "logarithm.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// sinh or cosh of |x| = n ln 2 + r, with c = cosh(r) - 1, s = sinh(r), b = 2^-2n: 2 sinh = 2^n (e^r - b e^-r)
// = 2^n ((1 + c) (1 - b) + s (1 + b)) and 2 cosh = 2^n (e^r + b e^-r) = 2^n (1 + c + s + b (1 + c - s)).
template <typename T>
struct hyperbolic_parts {
  vec<T> n, cosh_less_one, sinh, b;
};

template <typename T>
hyperbolic_parts<T> parts_of(vec<T> x) {
  using number = number<T>;
  const auto [n, r] = reduce<T>(at_most(number::exp_overflow, xsimd::abs(x)));
  const vec<T> z = r * r;
  return {n, z * polynomial(z, number::cosh_terms), multiply_add(r * z, polynomial(z, number::sinh_terms), r),
          two_to<T>(negative(n + n))};
}

template <typename T>
vec<T> sinh(vec<T> x) {
  const vec<T> one(T(1));
  const auto [n, c, s, b] = parts_of<T>(x);
  const vec<T> less = one - b;
  return with_sign<T>(scale<T>(less + (s + multiply_add(s, b, c * less)), n - one), x);
}

template <typename T>
vec<T> cosh(vec<T> x) {
  const vec<T> one(T(1));
  const auto [n, c, s, b] = parts_of<T>(x);
  return scale<T>(one + multiply_add(b, one + (c - s), s + c), n - one);
}

// -2 |x| = 2r - n ln 2, and with q = (exp(2r) - 1) / 2 and b = 2^n / 2:
// tanh |x| = (1 - exp(-2 |x|)) / (1 + exp(-2 |x|)) = (b - 1/2 - q) / (b + 1/2 + q).
// Without FMA, the rounding error of the denominator is corrected: otherwise the error would exceed 2 ulp.
template <typename T>
vec<T> tanh(vec<T> x) {
  using number = number<T>;
  const vec<T> magic(number::magic), half(T(0.5));
  const vec<T> size = at_least(-number::exp_one / 2, x | vec<T>(T(-0.0)));
  const vec<T> n = multiply_add(size, vec<T>(-2 * number::log2e), magic) - magic;
  vec<T> r;
  if constexpr (std::is_same_v<T, float> && fused) {
    r = multiply_add(n, vec<T>(number::ln2 / 2), size);  // the error of ln2 matters less as n grows
  } else {
    r = multiply_add(n, vec<T>(number::ln2_low / 2), multiply_add(n, vec<T>(number::ln2_high / 2), size));
  }
  const vec<T> q = multiply_add(r * r, polynomial(r, number::half_exp_of_twice_terms), r);
  const vec<T> b = two_to<T>(n, T(0.5));
  const vec<T> above = (b - half) - q, more = b + half, below = more + q;
  vec<T> result = above / below;
  if constexpr (!fused) result = result - result * (((more - below) + q) / below);
  return with_sign<T>(result, x);
}

// For greater |x| the 1 under the square root of asinh and acosh is below the rounding error.
template <typename T>
inline constexpr T large = T(typename number<T>::bits(1) << (number<T>::mantissa / 2 + 2));

// log(x + sqrt(x^2 + 1)) = log1p(x + x^2 / (1 + sqrt(x^2 + 1)))
template <typename T>
vec<T> asinh(vec<T> x) {
  const vec<T> one(T(1)), zero(T(0));
  const vec<T> size = xsimd::abs(x), square = size * size;
  const vec<T> rest = square / (one + xsimd::sqrt(one + square));
  const vec<T> sum = size + rest, low = (size - sum) + rest;
  const auto far = size > vec<T>(large<T>);
  const vec<T> u = one + sum, e = lost_in_sum<T>(u, one, sum) + low;
  return with_sign<T>(
      log_of_pair<T>(xsimd::select(far, size, u), xsimd::select(far, zero, e), xsimd::select(far, one, zero)), x);
}

// log(x + sqrt(x^2 - 1)) = log1p(t + sqrt(t (t + 2))), t = x - 1
template <typename T>
vec<T> acosh(vec<T> x) {
  const vec<T> one(T(1)), zero(T(0)), two(T(2));
  const vec<T> t = x - one;
  const vec<T> factor = t + two, square = t * factor;
  const vec<T> root = xsimd::sqrt(square);
  // The error of the root relative to that of the exact t (t + 2): next to 1 the logarithm is as small as the root.
  const vec<T> lost =
      residual<T>(square, root, root) - residual<T>(square, t, factor) + t * lost_in_sum<T>(factor, two, t);
  const vec<T> root_low = xsimd::select(root == zero, zero, lost / (root + root));
  const vec<T> sum = root + t, low = (root - sum) + t + root_low;
  const auto far = x > vec<T>(large<T>);
  const vec<T> u = one + sum, e = lost_in_sum<T>(u, one, sum) + low;
  const vec<T> result =
      log_of_pair<T>(xsimd::select(far, x, u), xsimd::select(far, zero, e), xsimd::select(far, one, zero));
  return xsimd::select(x < one, vec<T>(std::numeric_limits<T>::quiet_NaN()), result);
}

// The quotient x / (1 - a) and its rounding error; a need not be a multiple of the ulp of 1 - a.
template <typename T>
struct pair {
  vec<T> high, low;
};

template <typename T>
pair<T> over_complement(vec<T> x, vec<T> a) {
  const vec<T> one(T(1));
  const vec<T> d = one - a, d_low = (one - d) - a;
  const vec<T> reciprocal = one / d;
  const vec<T> q = x * reciprocal;
  return {q, (residual<T>(x, q, d) - q * d_low) * reciprocal};
}

// log((1 + x) / (1 - x)) / 2 = log1p(2x / (1 - x)) / 2
template <typename T>
vec<T> atanh(vec<T> x) {
  const vec<T> size = xsimd::abs(x);
  const auto [high, low] = over_complement<T>(size + size, size);
  return with_sign<T>(log1p_of_pair<T>(high, low) * vec<T>(T(0.5)), x);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
