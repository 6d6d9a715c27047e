// Random distributions as functions of one 64-bit number of a random stream; docs/random.md specifies them.
//
// They use only operations that every processor rounds alike: additions, multiplications, divisions and square roots of
// doubles, and none of the C library's functions. Products go through product(), which the compiler never contracts to
// an FMA; so the same number gives bitwise the same result on every architecture and device.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "function.h"

namespace tb_kernel {
namespace {

// Host sources are compiled without contraction.
TB_FUNCTION double product(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

TB_FUNCTION uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ typedef unsigned __int128 wide;
  return uint64_t(wide(a) * b >> 64);
#endif
}

// 0 <= x < 1, a multiple of 2^-digits: the first `digits` bits of the number, at most 53.
TB_FUNCTION double unit(uint64_t number, int digits = 53) {
  return product(double(number >> (64 - digits)), 1.0 / double(uint64_t(1) << digits));
}

// 0 < x < 1, an odd multiple of 2^-53: 1 - x is exact too.
TB_FUNCTION double open_unit(uint64_t number) { return product(double(number >> 12) + 0.5, 0x1p-52); }

// The natural logarithm of a positive normal number, with an error of about 2 ulp: the series of 2 artanh((m - 1) / (m
// + 1)) for the mantissa m, plus exponent * ln 2.
TB_FUNCTION double logarithm(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = int(bits >> 52) - 1023;
  bits = (bits & 0xfffffffffffff) | 0x3ff0000000000000;
  double m;
  memcpy(&m, &bits, sizeof m);
  const bool large = m > 1.4142135623730951;
  m = large ? product(m, 0.5) : m;
  exponent += large;
  const double s = (m - 1) / (m + 1), z = product(s, s);
  double series = 1.0 / 23;
  for (int n = 21; n > 0; n -= 2) series = 1.0 / n + product(z, series);
  return product(double(exponent), 0.69314718055994531) + product(product(2, s), series);
}

template <int N>
TB_FUNCTION double polynomial(const double (&coefficient)[N], double x) {
  double sum = coefficient[N - 1];
  for (int i = N - 2; i >= 0; --i) sum = coefficient[i] + product(sum, x);
  return sum;
}

// The inverse of the normal distribution function on (0, 1): Wichura's algorithm AS 241 (Applied Statistics 37, 1988),
// three rational approximations with an error of about 1e-16: of p - 1/2 where is_central() holds for it, and of the
// root of -log p, or -log(1 - p) if p > 1/2, up to 5 and beyond.
TB_FUNCTION bool is_central(double q) { return q >= -0.425 && q <= 0.425; }

TB_FUNCTION double central_quantile(double q) {
  const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                      1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                      3.3430575583588128105e+4, 2.5090809287301226727e+3};
  const double b[] = {1.0,
                      4.2313330701600911252e+1,
                      6.8718700749205790830e+2,
                      5.3941960214247511077e+3,
                      2.1213794301586595867e+4,
                      3.9307895800092710610e+4,
                      2.8729085735721942674e+4,
                      5.2264952788528545610e+3};
  const double r = 0.180625 - product(q, q);
  return product(q, polynomial(a, r)) / polynomial(b, r);
}

// Of the half above 1/2, as the next one.
TB_FUNCTION double tail_quantile(double root) {
  const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                      3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                      2.27238449892691845833e-2, 7.74545014278341407640e-4};
  const double d[] = {1.0,
                      2.05319162663775882187e0,
                      1.67638483018380384940e0,
                      6.89767334985100004550e-1,
                      1.48103976427480074590e-1,
                      1.51986665636164571966e-2,
                      5.47593808499534494600e-4,
                      1.05075007164441684324e-9};
  return polynomial(c, root - 1.6) / polynomial(d, root - 1.6);
}
TB_FUNCTION double far_tail_quantile(double root) {
  const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                      2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
  const double f[] = {1.0,
                      5.99832206555887937690e-1,
                      1.36929880922735805310e-1,
                      1.48753612908506148525e-2,
                      7.86869131145613259100e-4,
                      1.84631831751005468180e-5,
                      1.42151175831644588870e-7,
                      2.04426310338993978564e-15};
  return polynomial(e, root - 5) / polynomial(f, root - 5);
}

TB_FUNCTION double normal_quantile(double p) {
  const double q = p - 0.5;
  if (is_central(q)) return central_quantile(q);
  const double root = ::sqrt(-logarithm(q < 0 ? p : 1 - p));
  const double x = root <= 5 ? tail_quantile(root) : far_tail_quantile(root);
  return q < 0 ? -x : x;
}

TB_FUNCTION double standard_normal(uint64_t number) { return normal_quantile(open_unit(number)); }

// An exponential variate with rate 1: density exp(-x), x > 0.
TB_FUNCTION double standard_exponential(uint64_t number) { return -logarithm(open_unit(number)); }

// A uniform integer in [0, range), or in [0, 2^64) if range is 0. Probabilities differ by at most 2^-64.
TB_FUNCTION uint64_t integer_below(uint64_t number, uint64_t range) {
  return range == 0 ? number : high_product(number, range);
}

}  // namespace
}  // namespace tb_kernel
