// Powers with the exponents 1/2, 1, 2, 3, -1/2, -1, -2, computed as roots, products and quotients: fast, with an error
// of little more than half an ulp.
//
// The choice depends on each element's exponent alone; a row with a single exponent is tested once.
#pragma once

#include <limits>
#include <type_traits>

#include "double_word.h"
#include "in_double.h"
#include "roots.h"
#include "rounding.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Near infinity the rounding errors are infinite or NaN.
inline vec<double> unless_infinite(vec<double> exact, vec<double> rounded) {
  const auto finite = xsimd::abs(rounded) < vec<double>(std::numeric_limits<double>::infinity());
  return xsimd::select(finite & !xsimd::isnan(exact), exact, rounded);
}

inline vec<float> cube(vec<float> x) {
  if constexpr (fused) {
    // The rounding error of the square is exact, or so small that the cube is 0. From 2^86 on the cube is infinite;
    // what the square exceeds that by is not negative, so its product has the sign of the cube.
    const vec<float> square = at_most(0x1p86f, x * x), lost = multiply_subtract(x, x, square);
    return multiply_add(square, x, lost * x);
  } else {
    return in_double(x, [](vec<double> wide) { return wide * wide * wide; });
  }
}
// Scaled, since closer to underflow the rounding errors would be denormal.
inline vec<double> cube(vec<double> x) {
  const vec<double> one(1);
  const auto small = xsimd::abs(x) < vec<double>(0x1p-300);
  const vec<double> near = x * xsimd::select(small, vec<double>(0x1p64), one);
  const parts<double> square = product_of(near, near);
  const vec<double> exact = exact_multiply_add(square.high, near, square.low * near);
  const vec<double> result = unless_infinite(exact, square.high * near);
  return with_sign<double>(result * xsimd::select(small, vec<double>(0x1p-192), one), x);
}

inline vec<float> inverse_square(vec<float> x) {
  return in_double(x, [](vec<double> wide) { return vec<double>(1) / (wide * wide); });
}
inline vec<double> inverse_square(vec<double> x) {
  const vec<double> one(1), factor = xsimd::select(xsimd::abs(x) > vec<double>(0x1p480), vec<double>(0x1p-64), one);
  const vec<double> near = x * factor, inverse = one / near, lost = inverse * residual<double>(one, inverse, near);
  const vec<double> exact = exact_multiply_add(inverse, inverse, (inverse + inverse) * lost);
  return unless_infinite(exact, inverse * inverse) * (factor * factor);
}

// x^(Doubled / 2). By C99, pow(-0, 1/2) is +0 and pow(-infinity, 1/2) is +infinity, unlike sqrt.
template <int Doubled, typename T>
vec<T> simple_power(vec<T> x) {
  const vec<T> zero(T(0)), infinity(std::numeric_limits<T>::infinity());
  if constexpr (Doubled == 2) return x;
  if constexpr (Doubled == 4) return x * x;
  if constexpr (Doubled == 6) return cube(x);
  if constexpr (Doubled == -2) return vec<T>(T(1)) / x;
  if constexpr (Doubled == -4) return inverse_square(x);
  if constexpr (Doubled == 1) return xsimd::select(x == negative(infinity), infinity, xsimd::sqrt(x) + zero);
  if constexpr (Doubled == -1) return xsimd::select(x == negative(infinity), zero, rsqrt<T>(x + zero));
}

template <typename F>
void each_simple_exponent(F f) {
  f(std::integral_constant<int, 1>{}), f(std::integral_constant<int, 2>{}), f(std::integral_constant<int, 4>{});
  f(std::integral_constant<int, 6>{}), f(std::integral_constant<int, -1>{}), f(std::integral_constant<int, -2>{});
  f(std::integral_constant<int, -4>{});
}

// Whether y is a multiple of 1/2 and at most 3 in size: a superset of the simple exponents.
template <typename T>
typename vec<T>::batch_bool_type may_be_simple(vec<T> y) {
  const vec<T> twice = y + y;
#if defined(__SSE4_1__)
  const vec<T> whole = xsimd::nearbyint(twice);
#else
  const vec<T> whole = nearest_whole<T>(twice);
#endif
  return (whole == twice) & (xsimd::abs(y) <= vec<T>(T(3)));
}

template <typename T>
[[gnu::noinline]] vec<T> with_simple_powers(vec<T> x, vec<T> y, vec<T> result) {
  each_simple_exponent([&](auto doubled) {
    const auto here = y == vec<T>(T(doubled) / 2);
    if (xsimd::any(here)) result = xsimd::select(here, simple_power<doubled, T>(x), result);
  });
  return result;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
