// Special functions of one number, in double, that the C library lacks or does not provide thread-safe.
#pragma once

#include <math.h>

#include "function.h"

namespace tb_kernel {
namespace {

// lgamma() stores the sign of gamma in a global variable, which would be a data race.
TB_FUNCTION double log_gamma(double x) {
#ifdef __CUDACC__
  return ::lgamma(x);
#else
  int sign;
  return ::lgamma_r(x, &sign);
#endif
}

// The logarithmic derivative of gamma: reflected to positive x, shifted by psi(x) = psi(x + 1) - 1 / x to where the
// asymptotic series (Abramowitz and Stegun 6.3.18) is accurate to double precision.
TB_FUNCTION double digamma_function(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (x == 0) return ::copysign(INFINITY, -x);
  double moved = 0;
  if (x < 0) {
    if (x == ::floor(x)) return NAN;
    // Reduced by the period of the tangent, which is steep next to a pole: pi times a large x would be too inexact.
    const double rest = x - ::rint(x);
    moved = -pi / ::tan(pi * rest);
    x = 1 - x;
  }
  for (; x < 10; x += 1) moved -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 12 - y * (1.0 / 120 -
                           y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y * (1.0 / 12)))))));
  return moved + ::log(x) - 0.5 / x - series;
}

// Winitzki's closed form, accurate to two digits, then Halley's iteration on erf(y) = x, which triples the digits each
// time. For |x| >= 1/2, iterates on erfc(y) = 1 - x, which keeps the relative precision near 1.
TB_FUNCTION double inverse_error_function(double x) {
  constexpr double half_sqrt_pi = 0.88622692545275801365;
  if (!(x > -1 && x < 1)) return x == 1 ? INFINITY : x == -1 ? -INFINITY : NAN;
  if (x == 0) return x;
  const double size = ::fabs(x), complement = 1 - size;
  const double a = 0.147, l = ::log1p(-size * size), t = 2 / (3.14159265358979323846 * a) + l / 2;
  double y = ::sqrt(::sqrt(t * t - l / a) - t);
  for (int i = 0; i < 3; ++i) {
    const double error = size < 0.5 ? ::erf(y) - size : complement - ::erfc(y);
    const double step = error * half_sqrt_pi * ::exp(y * y);
    y -= step / (1 + y * step);
  }
  return ::copysign(y, x);
}

}  // namespace
}  // namespace tb_kernel
