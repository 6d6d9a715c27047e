// asin, acos, atan and atan2: a polynomial near zero, and identities that reduce every argument to that range.
#pragma once

#include "double_word.h"
#include "polynomial.h"
#include "trigonometric.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Coefficients of (f(x) - x) / x^3 as polynomials in x^2: atan up to 1, asin up to 1/2.
template <typename T>
struct arcs;

template <>
struct arcs<float> {
  static constexpr float tangent_first = -0x1.55553cp-2f;
  static constexpr float tangent[] = {0x1.99917ep-3f, -0x1.241cdp-3f,  0x1.c069bp-4f,  -0x1.57adeep-4f,
                                      0x1.d90e8ap-5f, -0x1.fb7a7cp-6f, 0x1.622a04p-7f, -0x1.d01ac8p-10f};
  static constexpr float sine[] = {0x1.555554p-3f, 0x1.33343p-4f,  0x1.6d5bbap-5f,
                                   0x1.fd8da2p-6f, 0x1.18f91ep-6f, 0x1.13fed4p-5f};
};

template <>
struct arcs<double> {
  static constexpr double tangent_first = -0x1.5555555555522p-2;
  static constexpr double tangent[] = {
      0x1.9999999995164p-3,  -0x1.2492492371733p-3,  0x1.c71c717cddaf8p-4, -0x1.745d117d84b09p-4,
      0x1.3b13647ab0961p-4,  -0x1.110e408077064p-4,  0x1.e1bae6ec4cce9p-5, -0x1.ae5b362468d87p-5,
      0x1.82d01d9261129p-5,  -0x1.5988753d6e84cp-5,  0x1.2bf7433fd6e07p-5, -0x1.e94e0fff3b7f2p-6,
      0x1.676c589dbab6dp-6,  -0x1.c60bca0c62c31p-7,  0x1.d599632a7f284p-8, -0x1.780ee1c4cf6f9p-9,
      0x1.b0f186820fe59p-11, -0x1.3c99be6eac53cp-13, 0x1.b7c55b32ec11ap-17};
  static constexpr double sine[] = {
      0x1.5555555555556p-3, 0x1.3333333332ecap-4,  0x1.6db6db6e31f13p-5, 0x1.f1c71c1db0623p-6, 0x1.6e8bb1c8209a2p-6,
      0x1.1c4d35cf95421p-6, 0x1.c9cf07674736ap-7,  0x1.782651caa6547p-7, 0x1.52420b04b37bep-7, 0x1.65a9c4dfcf8b2p-8,
      0x1.1d189408314eep-6, -0x1.e6aaa8a0a04ccp-7, 0x1.d72b2bc8155f8p-6};
};

// base + atan(ratio), |ratio| <= 1, where the base has a high and a low part.
template <typename T>
vec<T> angle_from(vec<T> base, vec<T> base_low, vec<T> ratio) {
  const vec<T> square = ratio * ratio;
  const parts<T> sum = sum_of_ordered(base, ratio);
  // The first coefficient is added last, since the terms alternate in sign.
  const vec<T> factor =
      multiply_add(ascending_polynomial(square, arcs<T>::tangent), square, vec<T>(arcs<T>::tangent_first));
  return sum.high + multiply_add(square * ratio, factor, sum.low + base_low);
}

template <typename T>
vec<T> atan(vec<T> x) {
  const vec<T> zero(T(0)), one(T(1)), sign = x & sign_bit<T>(), size = x ^ sign;
  const auto steep = size > one;
  const vec<T> ratio = xsimd::select(steep, negative(one), size) / xsimd::select(steep, size, one);
  const vec<T> quarter(circle<T>::half_pi[0]), quarter_low(circle<T>::half_pi[1]);
  return angle_from<T>(xsimd::select(steep, quarter, zero), xsimd::select(steep, quarter_low, zero), ratio) ^ sign;
}

// The angle to the nearest axis, at most pi / 4, added to the angle of that axis.
template <typename T>
vec<T> atan2(vec<T> y, vec<T> x) {
  const vec<T> zero(T(0)), one(T(1)), half_pi(circle<T>::half_pi[0]), half_pi_low(circle<T>::half_pi[1]), two(T(2));
  const vec<T> y_size = xsimd::abs(y), x_size = xsimd::abs(x);
  const auto steep = y_size > x_size;
  const auto behind = ((x & sign_bit<T>()) | one) < zero;  // also for -0
  const vec<T> lesser = xsimd::select(steep, x_size, y_size), greater = xsimd::select(steep, y_size, x_size);
  vec<T> ratio = lesser / greater;
  ratio = xsimd::select(lesser == greater, xsimd::select(lesser == zero, zero, one), ratio);
  ratio = ratio ^ xsimd::select(steep, sign_bit<T>(), zero) ^ xsimd::select(behind, sign_bit<T>(), zero);
  const vec<T> turns = xsimd::select(steep, one, xsimd::select(behind, two, zero));
  const vec<T> angle = angle_from<T>(turns * half_pi, turns * half_pi_low, ratio) | (y & sign_bit<T>());
  return xsimd::select(xsimd::isnan(x) | xsimd::isnan(y), x + y, angle);
}

// asin(root) - root, for root up to 1/2 and square = root^2.
template <typename T>
vec<T> arcsine_rest(vec<T> root, vec<T> square) {
  return root * square * ascending_polynomial(square, arcs<T>::sine);
}

template <typename T>
vec<T> asin(vec<T> x) {
  const vec<T> half(T(0.5)), sign = x & sign_bit<T>(), size = x ^ sign;
  const auto upper = size > half;
  const vec<T> square = xsimd::select(upper, multiply_add(size, negative(half), half), size * size);
  const vec<T> root = xsimd::select(upper, xsimd::sqrt(square), size);
  const vec<T> rest = arcsine_rest(root, square);
  const vec<T> two(T(2)), quarter(circle<T>::half_pi[0]), quarter_low(circle<T>::half_pi[1]);
  const parts<T> main = sum_of_ordered(quarter, root * negative(two));
  const vec<T> near_one = main.high + (main.low + multiply_add(rest, negative(two), quarter_low));
  return xsimd::select(upper, near_one, root + rest) ^ sign;
}

// For |x| > 1/2 by the half-angle formula, 2 asin(sqrt((1 - x) / 2)), with the rounding error of the root corrected.
template <typename T>
vec<T> acos(vec<T> x) {
  const vec<T> zero(T(0)), half(T(0.5)), two(T(2)), size = xsimd::abs(x);
  const auto upper = size > half, below = x < zero;
  const vec<T> square = xsimd::select(upper, multiply_add(size, negative(half), half), size * size);
  const vec<T> root = xsimd::sqrt(square);
  const vec<T> quarter(circle<T>::half_pi[0]), quarter_low(circle<T>::half_pi[1]);
  const vec<T> rest = arcsine_rest(root, square);
  const vec<T> middle_rest = xsimd::select(below, negative(rest), rest);
  const vec<T> middle = (quarter - x) + (quarter_low - middle_rest);
  const vec<T> error =
      exact_multiply_add(negative(root), root, square) * xsimd::select(root == zero, zero, half / root);
  const vec<T> angle = two * (root + (rest + error));
  const vec<T> other = (two * quarter - two * root) + two * (quarter_low - (rest + error));
  return xsimd::select(upper, xsimd::select(below, other, angle), middle);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
