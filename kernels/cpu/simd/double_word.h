// Error-free sums and products (double-word arithmetic): the high part is the rounded result, the low part its rounding
// error.
#pragma once

#include "primitives.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct parts {
  vec<T> high, low;
};

// Fast two-sum: requires |a| >= |b|, or that a is a multiple of the ulp of b.
template <typename T>
parts<T> sum_of_ordered(vec<T> a, vec<T> b) {
  const vec<T> sum = a + b;
  return {sum, b - (sum - a)};
}

template <typename T>
parts<T> sum_of(vec<T> a, vec<T> b) {
  const vec<T> sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

template <typename T>
parts<T> product_of(vec<T> a, vec<T> b) {
  const vec<T> product = a * b;
  if constexpr (fused) {
    return {product, multiply_add(a, b, negative(product))};
  } else {
    // Dekker's product: a and b are split into parts whose products are exact.
    const vec<T> split(sizeof(T) == 4 ? T(0x1.001p12) : T(0x1.0000002p27));
    const vec<T> a_split = a * split, b_split = b * split;
    const vec<T> a_high = a_split - (a_split - a), b_high = b_split - (b_split - b);
    const vec<T> a_low = a - a_high, b_low = b - b_high;
    return {product, (((a_high * b_high - product) + a_high * b_low) + a_low * b_high) + a_low * b_low};
  }
}

// a * b + c as if rounded once.
template <typename T>
vec<T> exact_multiply_add(vec<T> a, vec<T> b, vec<T> c) {
  if constexpr (fused) {
    return multiply_add(a, b, c);
  } else {
    const parts<T> product = product_of(a, b), sum = sum_of(product.high, c);
    return sum.high + (sum.low + product.low);
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
