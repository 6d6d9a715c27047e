// pow: exp(y log|x|), with the extra bits in the logarithm that the exponential loses; then the special cases of C99,
// annex F.
//
// x = 2^k z with z from 45/64 to 90/64. That range is divided into sixteen intervals; each has a center c with
// tabulated 1/c and log(c), so that log(x) = k log(2) + log(c) + log(1 + r), r = z / c - 1. Next to 1, c is 1 and
// nothing cancels.
#pragma once

#include <limits>

#include "exp_parts.h"
#include "in_double.h"
#include "simple_power.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

struct centers {
  static constexpr double inverse[] = {
      0x1.642c8590b2164p0,  0x1.5555555555555p0,  0x1.47ae147ae147bp0,  0x1.3b13b13b13b14p0,  0x1.2f684bda12f68p0,
      0x1.2492492492492p0,  0x1.1a7b9611a7b96p0,  0x1.1111111111111p0,  0x1.0842108421084p0,  0x1p0,
      0x1.e1e1e1e1e1e1ep-1, 0x1.c71c71c71c71cp-1, 0x1.af286bca1af28p-1, 0x1.999999999999ap-1, 0x1.8618618618618p-1,
      0x1.745d1745d1746p-1};
  static constexpr double log2[] = {
      -0x1.e7df5fe538ab3p-2, -0x1.a8ff971810a5dp-2, -0x1.6cb0f6865c8ebp-2, -0x1.32bfee370ee6ap-2, -0x1.f5fd8a9063e32p-3,
      -0x1.8a8980abfbd3p-3,  -0x1.22dadc2ab3496p-3, -0x1.7d60496cfbb4bp-4, -0x1.77394c9d958dp-5,  0x0p0,
      0x1.663f6fac91318p-4,  0x1.5c01a39fbd68bp-3,  0x1.fbc16b902680dp-3,  0x1.49a784bcd1b8ap-2,  0x1.91bba891f170ap-2,
      0x1.d6753e032ea0ep-2};
  // log(c) in two parts, the high one a multiple of the ulp of ln2_high
  static constexpr double log_high[] = {
      -0x1.522ae0738ap-2, -0x1.269621134ep-2, -0x1.f991c6cb3cp-3, -0x1.a93ed3c8aep-3, -0x1.5bf406b544p-3,
      -0x1.1178e8227ep-3, -0x1.9335e5d594p-4, -0x1.08598b59e4p-4, -0x1.0415d89e78p-5, 0x0p0,
      0x1.f0a30c0118p-5,  0x1.e27076e2bp-4,   0x1.5ff3070a7ap-3,  0x1.c8ff7c79aap-3,  0x1.1675cababap-2,
      0x1.4618bc21c6p-2};
  static constexpr double log_low[] = {-0x1.eba708164c759p-45, 0x1.1ba1f10522625p-44,
                                       0x1.90b84cd7cc834p-44,  0x1.86a4350562169p-45,
                                       0x1.28023eb68981cp-46,  -0x1.1e778ce2d07f2p-45,
                                       -0x1.30f5c3abd47dap-45, 0x1.7e9dd7009902cp-46,
                                       0x1.ddfc7f461c516p-44,  0x0p0,
                                       -0x1.d579e83368e91p-45, -0x1.a2c2c2af0003cp-45,
                                       -0x1.8546f183bebf2p-44, -0x1.7814f689f8434p-45,
                                       0x1.83c0e731f55c4p-44,  -0x1.3e02f484c84ccp-46};
  static constexpr double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;
};

struct near_center {
  vec<double> k, z;
  vec<uint64_t> index;
};

inline near_center center_of(vec<double> x) {
  constexpr uint64_t lowest = 0x3fe6800000000000;
#if defined(__AVX512F__)
  const __m512i bits = _mm512_castpd_si512(x), offset = _mm512_sub_epi64(bits, _mm512_set1_epi64(lowest));
  const __m512i whole = _mm512_and_si512(offset, _mm512_set1_epi64(int64_t(uint64_t(0xfff) << 52)));
  return {_mm512_cvtepi64_pd(_mm512_srai_epi64(offset, 52)), _mm512_castsi512_pd(_mm512_sub_epi64(bits, whole)),
          _mm512_srli_epi64(offset, 48)};
#else
  constexpr uint64_t bias = uint64_t(1024) << 52;
  const vec<uint64_t> offset = bits_of<double>(x) + vec<uint64_t>(bias - lowest), biased = offset >> 52;
  const vec<double> shift(0x1p52);
  const vec<double> k = from_bits<double>(biased | bits_of<double>(shift)) - vec<double>(0x1p52 + 1024);
  return {k, from_bits<double>(bits_of<double>(x) - (biased << 52) + vec<uint64_t>(bias)), offset >> 48};
#endif
}

// log2(x) for x > 0, within 2^-42, and next to 1 within 2^-37 of the result.
inline vec<double> short_log2(vec<double> x) {
  // log2(1 + r) / r for |r| <= 1/32 within 2^-37.2
  static constexpr double terms[] = {0x1.71547652bf1dp0,    -0x1.71547652c44eep-1, 0x1.ec70961883375p-2,
                                     -0x1.71546f9cf0c5ap-2, 0x1.27c740cb3c1b5p-2,  -0x1.ecfd77322b7aap-3};
  const near_center at = center_of(x);
  const vec<double> r = multiply_add(at.z, entry_of(centers::inverse, at.index), vec<double>(-1));
  return multiply_add(r, ascending_polynomial(r, terms), at.k + entry_of(centers::log2, at.index));
}

// x^y for x > 0, in double, with the accuracy of a float result.
inline vec<double> short_power(vec<double> x, vec<double> y) {
  const vec<double> power = y * short_log2(x);
#if defined(__AVX512F__)
  return short_exp2(power);
#else
  return short_exp2(at_least(-1000.0, at_most(1000.0, power)));
#endif
}

// log(x) for x > 0, within 2^-64.
inline parts<double> long_log(vec<double> x) {
  // (log(1 + r) - r + r^2 / 2) / r^3 within 2^-65.5 of r
  static constexpr double terms[] = {0x1.5555555555555p-2, -0x1p-2,
                                     0x1.9999999999893p-3, -0x1.5555555555461p-3,
                                     0x1.2492492697c21p-3, -0x1.00000001e085p-3,
                                     0x1.c71c453944b5ap-4, -0x1.9999703a45c7fp-4,
                                     0x1.75257511238e5p-4, -0x1.560f63ecf0bp-4};
  const auto denormal = x < vec<double>((std::numeric_limits<double>::min)());
  near_center at = center_of(xsimd::select(denormal, x * vec<double>(0x1p54), x));
  const vec<double> k = at.k - xsimd::select(denormal, vec<double>(54), vec<double>(0));
  const parts<double> ratio = product_of(at.z, entry_of(centers::inverse, at.index));
  const vec<double> r = ratio.high - vec<double>(1);
  const vec<double> main = multiply_add(k, vec<double>(centers::ln2_high), entry_of(centers::log_high, at.index));
  const vec<double> main_low = multiply_add(k, vec<double>(centers::ln2_low), entry_of(centers::log_low, at.index));
  const parts<double> first = sum_of(main, r), square = product_of(r, r);
  const parts<double> second = sum_of_ordered(first.high, square.high * vec<double>(-0.5));
  const vec<double> of_ratio = multiply_add(ratio.low, square.high - r, ratio.low);
  const vec<double> of_square = multiply_add(square.low, vec<double>(-0.5), second.low);
  const vec<double> low = (main_low + first.low) + (of_ratio + of_square);
  return sum_of_ordered(second.high, multiply_add(square.high * r, ascending_polynomial(r, terms), low));
}

// y is clamped: beyond the limits every power but that of 1 is 0 or infinite.
inline vec<float> positive_power(vec<float> x, vec<float> y) {
  constexpr float greatest = (std::numeric_limits<float>::max)();
  return in_double(x, at_least(-greatest, at_most(greatest, y)), short_power);
}
inline vec<double> positive_power(vec<double> x, vec<double> y) {
  const vec<double> limited = at_least(-0x1p70, at_most(0x1p70, y));
  const parts<double> log = long_log(x), main = product_of(limited, log.high);
  const vec<double> low = multiply_add(limited, log.low, main.low), high = at_least(-750.0, at_most(711.0, main.high));
  const auto within = xsimd::abs(main.high) < vec<double>(800);
  const auto [rest, n] = exp_of<double>({high, xsimd::select(within, low, vec<double>(0))});
  return scale<double>(rest + vec<double>(1), n);
}

// The sign bit where y is an odd integer, and whether y is an integer.
template <typename T>
struct wholeness {
  vec<T> odd;
  typename vec<T>::batch_bool_type whole;
};

template <typename T>
wholeness<T> wholeness_of(vec<T> y) {
  const vec<T> size = xsimd::abs(y), shift(T(typename number<T>::bits(1) << number<T>::mantissa));
  const auto large =
      size >= shift;  // an integer; its lowest mantissa bit tells odd from even while that bit has the value 1
  const vec<T> shifted = size + shift;
  const auto whole = large | (shifted - shift == size);
  const vec<T> lowest = xsimd::select(size < shift * vec<T>(T(2)), xsimd::select(large, size, shifted), vec<T>(T(0)));
  const vec<T> odd = from_bits<T>(bits_of<T>(lowest) << (int(sizeof(T)) * 8 - 1));
  return {xsimd::select(whole, odd, vec<T>(T(0))), whole};
}

// C99, annex F: zeros and infinities, negative bases, NaN; and x^0 = 1^y = 1 even for NaN.
template <typename T>
[[gnu::noinline]] vec<T> with_special_powers(vec<T> x, vec<T> y, vec<T> result) {
  using limits = std::numeric_limits<T>;
  const vec<T> zero(T(0)), one(T(1)), infinity(limits::infinity()), size = xsimd::abs(x);
  const auto [odd, whole] = wholeness_of<T>(y);
  result = xsimd::select((size == zero) | (size == infinity), xsimd::select(y < zero, one / size, size), result);
  result = result | (x & odd);
  result = xsimd::select((x < zero) & (x > negative(infinity)) & ~whole, vec<T>(limits::quiet_NaN()), result);
  result = xsimd::select(xsimd::isnan(x) | xsimd::isnan(y), x + y, result);
  return xsimd::select((y == zero) | (x == one), one, result);
}

template <typename T>
vec<T> ordinary_power(vec<T> x, vec<T> y) {
  const vec<T> greatest((std::numeric_limits<T>::max)());
  vec<T> result = positive_power(xsimd::abs(x), y);
  const auto ordinary = (x > vec<T>(T(0))) & (x <= greatest) & (xsimd::abs(y) <= greatest);
  if (!xsimd::all(ordinary)) [[unlikely]]
    result = with_special_powers<T>(x, y, result);
  return result;
}

template <typename T>
vec<T> pow(vec<T> x, vec<T> y) {
  vec<T> result = ordinary_power<T>(x, y);
  if (xsimd::any(may_be_simple<T>(y))) [[unlikely]]
    result = with_simple_powers<T>(x, y, result);
  return result;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
