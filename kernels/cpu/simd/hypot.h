// hypot: in double for float; for double, scaled so that no square overflows, with the rounding errors of the squares
// kept.
#pragma once

#include "double_word.h"
#include "in_double.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline vec<float> length_of(vec<float> x, vec<float> y) {
  return in_double(x, y, [](vec<double> a, vec<double> b) { return xsimd::sqrt(a * a + b * b); });
}
inline vec<double> length_of(vec<double> x, vec<double> y) {
  const vec<double> a = xsimd::abs(x), b = xsimd::abs(y);
  const vec<double> greater = xsimd::max(a, b), lesser = xsimd::min(a, b), one(1), up(0x1p600), down(0x1p-600);
  const auto large = greater > vec<double>(0x1p500), small = greater < vec<double>(0x1p-400);
  const vec<double> factor = xsimd::select(large, down, xsimd::select(small, up, one));
  const vec<double> back = xsimd::select(large, up, xsimd::select(small, down, one));
  const parts<double> first = product_of(greater * factor, greater * factor);
  const parts<double> second = product_of(lesser * factor, lesser * factor);
  const parts<double> sum = sum_of_ordered(first.high, second.high);
  return xsimd::sqrt(sum.high + (sum.low + (first.low + second.low))) * back;
}

// C99: infinite if one argument is, even if the other is NaN.
template <typename T>
vec<T> hypot(vec<T> x, vec<T> y) {
  const vec<T> infinity(std::numeric_limits<T>::infinity());
  const auto infinite = (xsimd::abs(x) == infinity) | (xsimd::abs(y) == infinity);
  const vec<T> length = xsimd::select(xsimd::isnan(x) | xsimd::isnan(y), x + y, length_of(x, y));
  return xsimd::select(infinite, infinity, length);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
