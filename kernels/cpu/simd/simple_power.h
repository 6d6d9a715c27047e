// Powers that are a root, a product or a quotient: exact to little more than half a unit, and as fast.
//
// An element takes this way by its own exponent, whatever stands beside it; a row with one exponent takes it without
// looking at each.
#pragma once

#include <limits>
#include <type_traits>

#include "exact.h"
#include "in_double.h"
#include "roots.h"
#include "rounding.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Beside infinity the lost part is infinite or NaN.
inline vec<double> unless_infinite(vec<double> exact, vec<double> rounded) {
  const auto finite = xsimd::abs(rounded) < vec<double>(std::numeric_limits<double>::infinity());
  return xsimd::select(finite & !xsimd::isnan(exact), exact, rounded);
}

inline vec<float> cube(vec<float> x) {
  return in_double(x, [](vec<double> wide) { return wide * wide * wide; });
}
// Nearer to the lower end of the range than these limits the lost parts would be denormal.
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

// x^(Halves / 2). C has no sign for the roots of -0 and -infinity.
template <int Halves, typename T>
vec<T> simple_power(vec<T> x) {
  const vec<T> zero(T(0)), infinity(std::numeric_limits<T>::infinity());
  if constexpr (Halves == 2) return x;
  if constexpr (Halves == 4) return x * x;
  if constexpr (Halves == 6) return cube(x);
  if constexpr (Halves == -2) return vec<T>(T(1)) / x;
  if constexpr (Halves == -4) return inverse_square(x);
  if constexpr (Halves == 1) return xsimd::select(x == negative(infinity), infinity, xsimd::sqrt(x) + zero);
  if constexpr (Halves == -1) return xsimd::select(x == negative(infinity), zero, rsqrt<T>(x + zero));
}

template <typename F>
void each_simple_exponent(F f) {
  f(std::integral_constant<int, 1>{}), f(std::integral_constant<int, 2>{}), f(std::integral_constant<int, 4>{});
  f(std::integral_constant<int, 6>{}), f(std::integral_constant<int, -1>{}), f(std::integral_constant<int, -2>{});
  f(std::integral_constant<int, -4>{});
}

// Halves up to 3: these exponents and a few more.
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
  each_simple_exponent([&](auto halves) {
    const auto here = y == vec<T>(T(halves) / 2);
    if (xsimd::any(here)) result = xsimd::select(here, simple_power<halves, T>(x), result);
  });
  return result;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
