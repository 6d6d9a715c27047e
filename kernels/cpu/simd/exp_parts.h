// Exponentials for use inside other functions: of an argument in two parts, with the power of two kept separate so that
// a product that underflows is rounded only once; and in double for a float result.
#pragma once

#include "double_word.h"
#include "exponential.h"
#include "polynomial.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// mantissa * 2^n
template <typename T>
struct with_exponent {
  parts<T> mantissa;
  vec<T> n;
};

// (1 + rest) * 2^n
template <typename T>
struct exponential {
  vec<T> rest, n;
};

template <typename T>
exponential<T> exp_of(parts<T> x) {
  using number = number<T>;
  const vec<T> n = nearest_exponent<T>(x.high);
  const vec<T> main = multiply_add(n, vec<T>(-number::ln2_high), x.high);
  const vec<T> low = multiply_add(n, vec<T>(-number::ln2_low), x.low), r = main + low;
  return {r + multiply_add(r * r, polynomial(r, number::exp_terms), (main - r) + low), n};
}

// 2^x within 2^-34 for |x| <= 1000; with AVX-512 for any finite x.
inline vec<double> short_exp2(vec<double> x) {
  static constexpr double terms[] = {0x1.ffffffffa4301p-1,  0x1.62e42fef9c8dap-1, 0x1.ebfbe0ae547fbp-3,
                                     0x1.c6b08da860e2bp-5,  0x1.3b29d5261c1b8p-7, 0x1.5d877363a0553p-10,
                                     0x1.446f549b16426p-13, 0x1.00c2a6c439612p-16};
#if defined(__AVX512F__)
  const vec<double> n = _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return scale<double>(ascending_polynomial(x - n, terms), n);
#else
  const vec<double> magic(number<double>::magic);
  const vec<double> with_magic = x + magic;
  const vec<double> power = ascending_polynomial(x - (with_magic - magic), terms);
  return from_bits<double>(bits_of<double>(power) + (bits_of<double>(with_magic) << number<double>::mantissa));
#endif
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
