// sin, cos and tan: Cody-Waite reduction by the nearest multiple of pi / 2, with its error kept, then a polynomial.
//
// pi / 2 is split in three parts. n times the first part is subtracted exactly, so nothing is lost where x is next to a
// multiple; the other two parts form a low part that the polynomial takes into account. Larger floats are reduced in
// double; arguments out of range of that too are passed to the C library, one by one.
#pragma once

#include <math.h>

#include "double_word.h"
#include "in_double.h"
#include "polynomial.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct circle;

// half_pi in three parts; then (sin(r) - r) / r^3, (cos(r) - 1) / r^2 and (tan(r) - r) / r^3 in powers of r^2 for |r|
// <= pi / 4, within 2^-26.3, 2^-31 and 2^-26.9 of r, 1 and r.
template <>
struct circle<float> {
  static constexpr float half_pi[] = {0x1.921fb6p0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr float limit = 0x1p17f;
  static constexpr float sine[] = {-0x1.555552p-3f, 0x1.110bf6p-7f, -0x1.9aae86p-13f};
  static constexpr float cosine[] = {-0x1p-1f, 0x1.55554cp-5f, -0x1.6c0daep-10f, 0x1.9a5234p-16f};
  static constexpr float tangent[] = {0x1.555556p-2f, 0x1.11107ep-3f,  0x1.ba5608p-5f, 0x1.6207cap-6f,
                                      0x1.47e7fp-7f,  0x1.2413cep-10f, 0x1.fd3baep-9f};
};

// The same within 2^-55.4, 2^-59.8 and 2^-55.4.
template <>
struct circle<double> {
  static constexpr double half_pi[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  static constexpr double limit = 0x1p25;
  static constexpr double sine[] = {-0x1.5555555555555p-3, 0x1.1111111110b23p-7,   -0x1.a01a019e620eep-13,
                                    0x1.71de376b644ccp-19, -0x1.ae5fde7f12068p-26, 0x1.5dfb39c3139b6p-33};
  static constexpr double cosine[] = {-0x1p-1,
                                      0x1.555555555555p-5,
                                      -0x1.6c16c16c15bf2p-10,
                                      0x1.a01a019db225fp-16,
                                      -0x1.27e4f8bc30979p-22,
                                      0x1.1eea5f6998d71p-29,
                                      -0x1.8fe74ef364b78p-37};
  static constexpr double tangent[] = {0x1.5555555555555p-2,  0x1.1111111111084p-3,   0x1.ba1ba1ba2c17ap-5,
                                       0x1.664f487cb4194p-6,  0x1.226e3687c52fdp-7,   0x1.d6d38c5a20a88p-9,
                                       0x1.7da886a27a669p-10, 0x1.3514f3cf673d9p-11,  0x1.fa5046c288911p-13,
                                       0x1.76f0de4077691p-14, 0x1.dc7709de31315p-15,  -0x1.aa8084e7328a9p-17,
                                       0x1.3f56eff64fcc3p-15, -0x1.414732612a197p-16, 0x1.235c9c3172c7ep-17};
};

// Up to here, reduction in double is accurate enough for float results.
constexpr double limit_of_floats = 0x1p45;

template <typename T>
struct quadrant {
  vec<typename number<T>::bits> n;  // modulo 4, in the lowest bits
  parts<T> rest;                    // |rest| <= pi / 4
};

template <typename T>
quadrant<T> quadrant_of(vec<T> size) {
  const vec<T> magic(number<T>::magic);
  const vec<T> with_magic = multiply_add(size, vec<T>(T(0.63661977236758134308)), magic);
  const vec<T> n = with_magic - magic;
  const vec<T> near = exact_multiply_add(n, vec<T>(-circle<T>::half_pi[0]), size);
  const parts<T> second = product_of(n, vec<T>(-circle<T>::half_pi[1]));
  const parts<T> rest = sum_of_ordered(near, second.high);
  return {bits_of<T>(with_magic), {rest.high, rest.low + multiply_add(n, vec<T>(-circle<T>::half_pi[2]), second.low)}};
}

template <typename T>
vec<T> sign_bit() {
  return vec<T>(T(-0.0));
}

// Bit 0 or 1 of an integer as a sign bit.
template <int bit, typename T>
vec<T> as_sign(vec<typename number<T>::bits> n) {
  return from_bits<T>(n << (int(sizeof(T)) * 8 - 1 - bit)) & sign_bit<T>();
}

// Selects by bit 0.
template <typename T>
vec<T> odd_or_even(vec<typename number<T>::bits> n, vec<T> odd, vec<T> even) {
  return xsimd::select((as_sign<0, T>(n) | vec<T>(T(1))) < vec<T>(T(0)), odd, even);
}

// sin(r + n pi / 2).
template <typename T>
vec<T> sine_of(vec<typename number<T>::bits> n, parts<T> r) {
  const vec<T> square = r.high * r.high;
  const vec<T> sine = r.high + multiply_add(square * r.high, ascending_polynomial(square, circle<T>::sine), r.low);
  const vec<T> cosine = multiply_add(square, ascending_polynomial(square, circle<T>::cosine), negative(r.high * r.low));
  return odd_or_even<T>(n, vec<T>(T(1)) + cosine, sine) ^ as_sign<1, T>(n);
}

template <typename T>
vec<T> near_sin(vec<T> x) {
  const vec<T> sign = x & sign_bit<T>();
  const quadrant<T> at = quadrant_of<T>(x ^ sign);
  return sine_of<T>(at.n, at.rest) ^ sign;
}

template <typename T>
vec<T> near_cos(vec<T> x) {
  const quadrant<T> at = quadrant_of<T>(xsimd::abs(x));
  return sine_of<T>(at.n + vec<typename number<T>::bits>(1), at.rest);
}

// In odd quadrants the tangent is -1 / tan(rest); the error of the division and the low part of tan(rest) are
// corrected.
template <typename T>
vec<T> near_tan(vec<T> x) {
  const vec<T> one(T(1)), sign = x & sign_bit<T>();
  const auto [n, r] = quadrant_of<T>(x ^ sign);
  const vec<T> square = r.high * r.high;
  const vec<T> more = multiply_add(square * r.high, ascending_polynomial(square, circle<T>::tangent),
                                   multiply_add(r.low, square, r.low));
  const parts<T> even = sum_of_ordered(r.high, more);
  const vec<T> inverse = vec<T>(T(-1)) / even.high;
  const vec<T> error = multiply_add(inverse, even.low, exact_multiply_add(inverse, even.high, one));
  return odd_or_even<T>(n, multiply_add(inverse, error, inverse), even.high) ^ sign;
}

struct sin_of {
  template <typename T>
  static vec<T> near(vec<T> x) {
    return near_sin(x);
  }
  static double far(double x) { return ::sin(x); }
};
struct cos_of {
  template <typename T>
  static vec<T> near(vec<T> x) {
    return near_cos(x);
  }
  static double far(double x) { return ::cos(x); }
};
struct tan_of {
  template <typename T>
  static vec<T> near(vec<T> x) {
    return near_tan(x);
  }
  static double far(double x) { return ::tan(x); }
};

// Recomputes the elements with |x| >= from in double with the C library.
template <typename F, typename T>
[[gnu::noinline]] vec<T> with_far(vec<T> x, vec<T> result, T from) {
  alignas(64) T in[vec<T>::size], out[vec<T>::size];
  x.store_aligned(in);
  result.store_aligned(out);
  for (size_t lane = 0; lane < vec<T>::size; ++lane) {
    if (::fabs(in[lane]) >= from) out[lane] = T(F::far(in[lane]));
  }
  return vec<T>::load_aligned(out);
}

template <typename F>
[[gnu::noinline]] vec<float> beyond_limit(vec<float> x, vec<float> result) {
  const auto beyond = xsimd::abs(x) >= vec<float>(circle<float>::limit);
  result = xsimd::select(beyond, in_double(x, [](vec<double> wide) { return F::near(wide); }), result);
  const auto far = xsimd::abs(x) >= vec<float>(float(limit_of_floats));
  return xsimd::any(far) ? with_far<F>(x, result, float(limit_of_floats)) : result;
}
template <typename F>
vec<double> beyond_limit(vec<double> x, vec<double> result) {
  return with_far<F>(x, result, circle<double>::limit);
}

template <typename F, typename T>
vec<T> of_any_angle(vec<T> x) {
  const vec<T> result = F::near(x);
  if (xsimd::any(xsimd::abs(x) >= vec<T>(circle<T>::limit))) [[unlikely]]
    return beyond_limit<F>(x, result);
  return result;
}

template <typename T>
vec<T> sin(vec<T> x) {
  return of_any_angle<sin_of>(x);
}
template <typename T>
vec<T> cos(vec<T> x) {
  return of_any_angle<cos_of>(x);
}
template <typename T>
vec<T> tan(vec<T> x) {
  return of_any_angle<tan_of>(x);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
