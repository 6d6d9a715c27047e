// Floored quotients and remainders of 64-bit integers, in double: exact, and several times as fast as the processor's
// integer division.
//
// For |a|, |b| < 2^51 the quotient a / b differs from each whole number that it is not by at least 1 / |b|, which
// exceeds its rounding error of at most |a / b| 2^-53; so rounding it to a whole number gives that of the exact
// quotient, and all products and differences are whole numbers below 2^53. Registers with a larger element are divided
// one by one.
#pragma once

#include "elementwise/elementwise.h"
#include "primitives.h"
#include "rounding.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename F>
constexpr auto of_whole_numbers = nullptr;
template <>
constexpr auto of_whole_numbers<tb_kernel::fn::div_floor> =
    [](vec<double> a, vec<double> b) { return whole_below<double>(a / b); };
template <>
constexpr auto of_whole_numbers<tb_kernel::fn::fmod> =
    [](vec<double> a, vec<double> b) { return a - whole_part<double>(a / b) * b; };
template <>
constexpr auto of_whole_numbers<tb_kernel::fn::remainder> =
    [](vec<double> a, vec<double> b) { return a - whole_below<double>(a / b) * b; };

using whole_numbers = vec<int64_t>;
// Added to the bits of magic, a whole number of at most 2^51 gives the bits of their sum.
inline constexpr double magic = 0x1.8p52;

inline vec<double> to_double(whole_numbers x) {
  return bit_cast<double>(x + bit_cast<int64_t>(vec<double>(magic))) - vec<double>(magic);
}
inline whole_numbers to_whole(vec<double> x) {
  const vec<double> shift(magic);
  return bit_cast<int64_t>(x + shift) - bit_cast<int64_t>(shift);
}

inline bool are_small(whole_numbers a, whole_numbers b) {
  const whole_numbers most(int64_t(1) << 51);
  const auto high = [&](whole_numbers x) { return bit_cast<uint64_t>(x + most) >> 52; };
  return xsimd::all((high(a) | high(b)) == vec<uint64_t>(0));
}

template <typename F>
void whole_division_loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  constexpr int64_t width = whole_numbers::size;
  const auto given = numbers_as<int64_t>(number);
  int64_t* const to = static_cast<int64_t*>(out);
  const int64_t *const a = static_cast<const int64_t*>(in[0]), *const b = static_cast<const int64_t*>(in[1]);
  const auto one_by_one = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = F::apply(a[i], b[i], given);
  };
  int64_t i = 0;
  for (; i + width <= count; i += width) {
    const whole_numbers x = whole_numbers::load_unaligned(a + i), y = whole_numbers::load_unaligned(b + i);
    if (are_small(x, y)) {
      to_whole(of_whole_numbers<F>(to_double(x), to_double(y))).store_unaligned(to + i);
    } else {
      one_by_one(i, i + width);
    }
  }
  one_by_one(i, count);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
