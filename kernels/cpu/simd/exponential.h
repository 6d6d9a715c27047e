// exp, exp2 and expm1 of a SIMD register: x = n ln 2 + r with |r| <= ln(2) / 2, exp(x) = 2^n exp(r).
#pragma once

#include <iterator>

#include "primitives.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// x = n ln 2 + r, for |x| up to a few times the range of exponents.
template <typename T>
struct reduced {
  vec<T> n, r;
};

template <typename T>
reduced<T> reduce(vec<T> x) {
  using number = number<T>;
  const vec<T> magic(number::magic);
  const vec<T> n = multiply_add(x, vec<T>(number::log2e), magic) - magic;
  const vec<T> r = multiply_add(n, vec<T>(-number::ln2_high), x);
  return {n, multiply_add(n, vec<T>(-number::ln2_low), r)};
}

// exp(r) - 1 of a reduced argument.
template <typename T>
vec<T> expm1_of_rest(vec<T> r) {
  return multiply_add(r * r, polynomial(r, number<T>::exp_terms), r);
}

// 2^f, |f| <= 1/2.
template <typename T>
vec<T> exp2_of_rest(vec<T> f) {
  return multiply_add(f, polynomial(f, number<T>::exp2_terms), vec<T>(T(1)));
}

// exp(x) = 2^n p, p from sqrt(1/2) to sqrt(2). With FMA, the reduced argument is in units of ln 2 (2^f); without, in
// units of x.
template <typename T>
struct scaled {
  vec<T> n, p;
};

template <typename T>
vec<T> nearest_exponent(vec<T> x) {
  const vec<T> magic(number<T>::magic);
  return multiply_add(x, vec<T>(number<T>::log2e), magic) - magic;
}

// x log2(e) - n.
template <typename T>
vec<T> rest_of(vec<T> x, vec<T> n) {
  using number = number<T>;
  return multiply_add(x, vec<T>(number::log2e_low), multiply_subtract(x, vec<T>(number::log2e), n));
}

template <typename T>
vec<T> minus_rest_of(vec<T> x, vec<T> n) {
  using number = number<T>;
  return multiply_add(x, vec<T>(-number::log2e_low), multiply_add(x, vec<T>(-number::log2e), n));
}

// exp(x + low).
template <typename T>
scaled<T> scaled_exp(vec<T> x, vec<T> low) {
  if constexpr (fused) {
    const vec<T> n = nearest_exponent<T>(x);
    return {n, exp2_of_rest<T>(multiply_add(low, vec<T>(number<T>::log2e), rest_of<T>(x, n)))};
  } else {
    const auto [n, r] = reduce<T>(x);
    return {n, expm1_of_rest<T>(r + low) + vec<T>(T(1))};
  }
}

template <typename T>
scaled<T> scaled_exp(vec<T> x) {
  if constexpr (fused) {
    const vec<T> n = nearest_exponent<T>(x);
    return {n, exp2_of_rest<T>(rest_of<T>(x, n))};
  } else {
    const auto [n, r] = reduce<T>(x);
    return {n, expm1_of_rest<T>(r) + vec<T>(T(1))};
  }
}

template <typename T>
vec<T> exp(vec<T> x) {
  using number = number<T>;
  const auto [n, p] = scaled_exp<T>(at_least(number::exp_underflow, at_most(number::exp_overflow, x)));
  return scale<T>(p, n);
}

// exp of K registers of numbers <= 0, bitwise equal to exp(), with the K evaluations interleaved: evaluated one after
// the other, few would fit in the out-of-order window, and latency would dominate.
template <typename T, int K>
void exp_together(vec<T> (&x)[K]) {
  if constexpr (fused) {
    using number = number<T>;
    vec<T> n[K], p[K];
    for (vec<T>& one : x) one = at_least(number::exp_underflow, one);
    for (int k = 0; k < K; ++k) n[k] = nearest_exponent<T>(x[k]);
    for (int k = 0; k < K; ++k) x[k] = rest_of<T>(x[k], n[k]);
    for (vec<T>& one : p) one = vec<T>(number::exp2_terms[0]);
#pragma clang loop unroll(full)
    for (size_t term = 1; term < std::size(number::exp2_terms); ++term) {
      for (int k = 0; k < K; ++k) p[k] = multiply_add(p[k], x[k], vec<T>(number::exp2_terms[term]));
    }
    for (int k = 0; k < K; ++k) p[k] = multiply_add(x[k], p[k], vec<T>(T(1)));
    for (int k = 0; k < K; ++k) x[k] = scale<T>(p[k], n[k]);
  } else {
    for (vec<T>& one : x) one = exp<T>(one);
  }
}

template <typename T>
vec<T> exp2(vec<T> x) {
  using number = number<T>;
  constexpr T overflow = T(number::bias + 2), underflow = -T(number::bias + number::mantissa + 1);
  const vec<T> magic(number::magic);
  x = at_least(underflow, at_most(overflow, x));
  const vec<T> n = (x + magic) - magic;
  return scale<T>(exp2_of_rest<T>(x - n), n);
}

// 2^n (exp(r) - 1 + 1 - 2^-n): no cancellation, and at n = 0 nothing is added.
template <typename T>
vec<T> expm1(vec<T> x) {
  using number = number<T>;
  const vec<T> one(T(1));
  const auto [n, r] = reduce<T>(at_least(-number::exp_one, at_most(number::exp_overflow, x)));
  return with_sign<T>(scale<T>(expm1_of_rest<T>(r) + (one - two_to<T>(negative(n))), n), x);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
