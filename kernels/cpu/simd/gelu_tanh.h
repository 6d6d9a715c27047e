// The tanh approximation of gelu, x (1 + tanh(u)) / 2, u = sqrt(2 / pi) (x + 0.044715 x^3), as x / (1 + exp(-2 u)),
// which does not cancel below zero.
#pragma once

#include "error_function.h"
#include "in_double.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

inline vec<float> gelu_tanh(vec<float> x) {
  const vec<float> result = in_double(x, [](vec<double> wide) {
    constexpr double linear = -1.5957691216057307 * number<double>::log2e, cubic = linear * 0.044715;
    const vec<double> power = wide * multiply_add(wide * wide, vec<double>(cubic), vec<double>(linear));
    return wide / (vec<double>(1) + short_exp2(at_least(-1000.0, at_most(1000.0, power))));
  });
  return nan_at_minus_infinity<float>(x, result);
}

// -2 u in two parts, since its absolute error is the relative error of the exponential. The rounding error of 1 + rest
// is corrected.
inline vec<double> gelu_tanh(vec<double> x) {
  constexpr double linear = -0x1.9884533d43651p+0, linear_low = 0x1.cbc0d30ebfd15p-54, cubic = -0x1.2444f2a4d8b4bp-4,
                   cubic_low = 0x1.6c843a29d1c70p-61;
  const vec<double> one(1), size = at_least(-40.0, at_most(40.0, x));
  const parts<double> square = product_of(size, size);
  parts<double> factor = product_of(square.high, vec<double>(cubic));
  factor.low = factor.low + multiply_add(square.low, vec<double>(cubic), square.high * vec<double>(cubic_low));
  const parts<double> sum = sum_of(factor.high, vec<double>(linear));
  const vec<double> low = sum.low + (factor.low + vec<double>(linear_low));
  parts<double> power = product_of(size, sum.high);
  power.low = multiply_add(size, low, power.low);
  const auto within = power.high > vec<double>(-70);
  const auto [rest, n] =
      exp_of<double>({at_most(800.0, at_least(-70.0, power.high)), xsimd::select(within, power.low, vec<double>(0))});
  const vec<double> down = negative(n), opposite = two_to<double>(down);
  const vec<double> power_of_e = one + rest, divisor = opposite + power_of_e, lost = (one - power_of_e) + rest;
  const vec<double> inverse = one / divisor, divided = size * inverse;
  const vec<double> error = residual<double>(size, divided, divisor) - divided * lost;
  const vec<double> result = with_sign<double>(scale<double>(multiply_add(error, inverse, divided), down), x);
  return nan_at_minus_infinity<double>(x, xsimd::select(x > vec<double>(40), x, result));
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
