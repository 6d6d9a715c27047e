// lgamma of floats and digamma, in double. Arguments below 8 are moved up by 8 with the recurrences of the functions,
// in one product; from there on the asymptotic series (Abramowitz and Stegun 6.1.41 and 6.3.18) are accurate. Negative
// arguments are reflected (6.1.17 and 6.3.7).
//
// The logarithm of gamma is zero at 1 and 2, near which the difference is exact enough for floats alone; doubles are
// left to the C library.
#pragma once

#include "in_double.h"
#include "logarithm.h"
#include "rounding.h"
#include "special_functions.h"
#include "trigonometric.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// x (x + 1) ... (x + 7), and its derivative.
struct rising_product {
  vec<double> value, derivative;
};
inline rising_product rising_product_of(vec<double> x) {
  rising_product all{x, vec<double>(1)};
  for (int i = 1; i < 8; ++i) {
    const vec<double> factor = x + vec<double>(i);
    all.derivative = multiply_add(all.derivative, factor, all.value);
    all.value = all.value * factor;
  }
  return all;
}

// x - n for the nearest whole number n; pi times it has the sine and the tangent of pi x but for the sign.
inline vec<double> beside_whole(vec<double> x) {
#if defined(__SSE4_1__)
  return x - xsimd::nearbyint(x);
#else
  return x - nearest_whole<double>(x);
#endif
}

inline constexpr double pi_as_double = 3.14159265358979323846;

// The factor that moving and reflecting leave is gathered, so that one logarithm serves both.
inline vec<float> lgamma(vec<float> given) {
  return in_double(given, [](vec<double> x) {
    constexpr double half_log_of_two_pi = 0.91893853320467274178;
    constexpr double terms[] = {1.0 / 156, -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12};
    const vec<double> size = xsimd::abs(x), eight(8), one(1), zero(0), pi(pi_as_double);
    const auto below_eight = size < eight, below_zero = x < zero;
    const vec<double> z = xsimd::select(below_eight, size + eight, size), inverse = one / z, logarithm = log<double>(z);
    const vec<double> series = inverse * polynomial<double>(inverse * inverse, terms);
    const vec<double> constant = vec<double>(half_log_of_two_pi) - vec<double>(0.5) * logarithm;
    vec<double> result = multiply_add(z, logarithm - one, constant) + series;
    if (xsimd::any(below_eight | below_zero)) {
      vec<double> factor = xsimd::select(below_eight, rising_product_of(xsimd::min(size, eight)).value, one);
      if (xsimd::any(below_zero)) {
        // The Taylor series of the sine up to half a turn, to 13 digits.
        constexpr double sine_terms[] = {1.0 / 355687428096000,
                                         -1.0 / 1307674368000,
                                         1.0 / 6227020800,
                                         -1.0 / 39916800,
                                         1.0 / 362880,
                                         -1.0 / 5040,
                                         1.0 / 120,
                                         -1.0 / 6,
                                         1};
        const vec<double> angle = pi * beside_whole(x);
        const vec<double> sine = xsimd::abs(angle * polynomial<double>(angle * angle, sine_terms));
        factor = xsimd::select(below_zero, pi * factor / (size * sine), factor);
      }
      result = log<double>(factor) - result;
      result = xsimd::select(below_zero, result, negative(result));
    }
    const vec<double> infinity(std::numeric_limits<double>::infinity());
    result = xsimd::select((x == one) | (x == vec<double>(2)), zero, result);
    return xsimd::select(size == infinity, infinity, result);
  });
}
inline vec<double> lgamma(vec<double> given) {
  alignas(64) double x[vec<double>::size];
  given.store_aligned(x);
  for (double& each : x) each = tb_kernel::log_gamma(each);
  return vec<double>::load_aligned(x);
}

inline vec<double> digamma(vec<double> given) {
  const vec<double> eight(8), zero(0), one(1);
  vec<double> x = given, moved = zero;
  const auto negative_ones = given < zero;
  if (xsimd::any(negative_ones)) {
    const vec<double> rest = beside_whole(given), pi(pi_as_double);
    // At a pole the division by zero must not give an infinity.
    const vec<double> tangent =
        xsimd::select(rest == zero, vec<double>(std::numeric_limits<double>::quiet_NaN()), tan<double>(pi * rest));
    moved = xsimd::select(negative_ones, negative(pi / tangent), zero);
    x = xsimd::select(negative_ones, one - given, given);
  }
  const auto small = x < eight;
  if (xsimd::any(small)) {
    const rising_product all = rising_product_of(xsimd::min(x, eight));
    moved = moved - xsimd::select(small, all.derivative / all.value, zero);
    x = xsimd::select(small, x + eight, x);
  }
  const vec<double> inverse = one / x, y = inverse * inverse;
  constexpr double terms[] = {1.0 / 12, -691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12};
  const vec<double> series = y * polynomial<double>(y, terms);
  return moved + log<double>(x) - (vec<double>(0.5) * inverse + series);
}
inline vec<float> digamma(vec<float> given) {
  return in_double(given, [](vec<double> x) { return digamma(x); });
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
