// Promotion and conversion of element types, written from the documentation of PyTorch and the array API: the oracle
// for the dtype tests. Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

import topbit;

namespace oracle {

/// The promotion of two dtypes: the table of the array API standard, extended by float16 and bfloat16.
inline topbit::dtype naive_promote(topbit::dtype a, topbit::dtype b) {
  using enum topbit::dtype;
  static constexpr topbit::dtype table[10][10] = {
      {boolean, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64},
      {uint8, uint8, int16, int16, int32, int64, float16, bfloat16, float32, float64},
      {int8, int16, int8, int16, int32, int64, float16, bfloat16, float32, float64},
      {int16, int16, int16, int16, int32, int64, float16, bfloat16, float32, float64},
      {int32, int32, int32, int32, int32, int64, float16, bfloat16, float32, float64},
      {int64, int64, int64, int64, int64, int64, float16, bfloat16, float32, float64},
      {float16, float16, float16, float16, float16, float16, float16, float32, float32, float64},
      {bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, bfloat16, float32, bfloat16, float32, float64},
      {float32, float32, float32, float32, float32, float32, float32, float32, float32, float64},
      {float64, float64, float64, float64, float64, float64, float64, float64, float64, float64}};
  return table[static_cast<int>(a)][static_cast<int>(b)];
}

/// 0: bool, 1: integer, 2: floating.
inline int category(topbit::dtype t) { return t == topbit::dtype::boolean ? 0 : topbit::is_floating(t) ? 2 : 1; }

/// Rounds to a binary format with `bits` significant bits and this least exponent, ties to even.
template <class T>
T rounded(T x, int bits, int least_exponent, T greatest) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent - bits, least_exponent);
  const T result = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
  return std::abs(result) > greatest ? std::copysign(static_cast<T>(INFINITY), x) : result;
}

/// The value of an element after conversion to a dtype, as a double or a long double.
template <class T>
T stored(topbit::dtype t, T x) {
  using enum topbit::dtype;
  const auto whole = [x] { return static_cast<std::int64_t>(x); };
  switch (t) {
    case boolean: return x != 0;
    case uint8: return static_cast<std::uint8_t>(whole());
    case int8: return static_cast<std::int8_t>(whole());
    case int16: return static_cast<std::int16_t>(whole());
    case int32: return static_cast<std::int32_t>(whole());
    case int64: return static_cast<T>(whole());
    case float16: return rounded<T>(x, 11, -24, 65504);
    case bfloat16: return rounded<T>(x, 8, -133, 0x1.fep127);
    case float32: return static_cast<T>(static_cast<float>(x));
    case float64: return static_cast<T>(static_cast<double>(x));
  }
  return x;
}

/// The common dtype of two operands: a zero-dimensional tensor counts only if its category (bool, integer, floating) is
/// higher than the other one's.
inline topbit::dtype naive_promoted(const topbit::tensor& a, const topbit::tensor& b) {
  const bool a_counts = a.dim() > 0 || b.dim() == 0 || category(a.dtype()) > category(b.dtype());
  const bool b_counts = b.dim() > 0 || a.dim() == 0 || category(b.dtype()) > category(a.dtype());
  if (!a_counts) return b.dtype();
  if (!b_counts) return a.dtype();
  return naive_promote(a.dtype(), b.dtype());
}

}  // namespace oracle
