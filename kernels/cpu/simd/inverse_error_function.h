// erfinv(x) = x f(s) with s^2 = -log(1 - x^2). f is smooth from 0 up to the largest x below 1 (Giles 2010 uses s^2
// instead of s). The error of s near zero does not matter, as f is flat there. For a float all of it is in double,
// where the square of a float is exact.
#pragma once

#include "in_double.h"
#include "inverse_error_function_tables.h"
#include "logarithm.h"
#include "power.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// At 1 and beyond, where it is infinite or NaN.
[[gnu::noinline]] inline vec<float> with_erfinv_from_one(vec<float> x, vec<float> result) {
  using limits = std::numeric_limits<float>;
  const vec<float> size = xsimd::abs(x), one(1), infinity(limits::infinity()), nan(limits::quiet_NaN());
  return xsimd::select(size < one, result, xsimd::select(size == one, with_sign<float>(infinity, x), nan));
}

inline vec<float> erfinv(vec<float> x) {
  using table = inverse_error_function<float>;
  const vec<float> result = in_double(x, [](vec<double> wide) {
    const vec<double> s = xsimd::sqrt(negative(short_log2(vec<double>(1) - wide * wide)));
    const auto [index, rest] = piece_of(s, table::step);
    return wide * polynomial_of_piece<0>(index, rest, table::ratio);
  });
  if (!xsimd::all(xsimd::abs(x) < vec<float>(1))) [[unlikely]]
    return with_erfinv_from_one(x, result);
  return result;
}

inline vec<double> erfinv(vec<double> x) {
  using table = inverse_error_function<double>;
  const vec<double> one(1), infinity(std::numeric_limits<double>::infinity());
  const vec<double> s = xsimd::sqrt(negative(log<double>((one - x) * (one + x))));
  const parts<double> ratio = piecewise(s, table::step, table::ratio);
  const vec<double> result = with_sign<double>(multiply_add(x, ratio.high, x * ratio.low), x);
  return xsimd::select(xsimd::abs(x) == one, with_sign<double>(infinity, x), result);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
