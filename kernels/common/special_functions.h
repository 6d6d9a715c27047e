// Special functions of one number that the C library lacks, or has only with a global variable. In double.
#pragma once

#include <math.h>

#include "function.h"

namespace tb_kernel {
namespace {

// The C library keeps the sign of gamma in a variable of the process, which threads would write at once.
TB_FUNCTION double log_gamma(double x) {
#ifdef __CUDACC__
  return ::lgamma(x);
#else
  int sign;
  return ::lgamma_r(x, &sign);
#endif
}

// The logarithmic derivative of gamma: reflected to the positive side, moved by psi(x) = psi(x + 1) - 1 / x to where
// the asymptotic series (Abramowitz and Stegun 6.3.18) has no error that a double shows.
TB_FUNCTION double digamma_function(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (x == 0) return ::copysign(INFINITY, -x);
  double moved = 0;
  if (x < 0) {
    if (x == ::floor(x)) return NAN;
    // The tangent has this period, and next to a pole it is steep: pi times a large rest would be off by too much.
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

// Winitzki's closed form, good to two digits, then Halley's iteration on erf(y) = x, which triples the digits each
// time. Near 1 the difference to it is what counts, so the complement is solved for there.
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
