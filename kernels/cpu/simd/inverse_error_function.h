// erfinv(x) = x f(s) with s^2 = -log(1 - x^2). f is smooth from 0 up to the largest x below 1 (Giles 2010 uses s^2
// instead of s). The error of s near zero does not matter, as f is flat there.
#pragma once

#include "in_double.h"
#include "inverse_error_function_tables.h"
#include "logarithm.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename Table>
vec<double> erfinv_by(vec<double> x) {
  const vec<double> one(1);
  const vec<double> s = xsimd::sqrt(negative(log<double>((one - x) * (one + x))));
  const parts<double> ratio = piecewise(s, Table::step, Table::ratio);
  return with_sign<double>(multiply_add(x, ratio.high, x * ratio.low), x);
}

template <typename T>
vec<T> infinite_at_one(vec<T> x, vec<T> result) {
  const vec<T> infinity(std::numeric_limits<T>::infinity());
  return xsimd::select(xsimd::abs(x) == vec<T>(T(1)), with_sign<T>(infinity, x), result);
}

inline vec<float> erfinv(vec<float> x) {
  return infinite_at_one(x,
                         in_double(x, [](vec<double> wide) { return erfinv_by<inverse_error_function<float>>(wide); }));
}
inline vec<double> erfinv(vec<double> x) { return infinite_at_one(x, erfinv_by<inverse_error_function<double>>(x)); }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
