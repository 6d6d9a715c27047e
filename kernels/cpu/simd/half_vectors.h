// float16 and bfloat16 elements as floats in SIMD registers: loads and stores of the first lanes, rounded to nearest,
// ties to even, bitwise as kernels/common/half.h except for the bits of a NaN.
#pragma once

#include "half.h"
#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::bfloat16;
using tb_kernel::half;

constexpr int float_lanes = vec<float>::size;
typedef uint16_t short_lanes __attribute__((vector_size(float_lanes * 2)));
typedef uint32_t word_lanes __attribute__((vector_size(float_lanes * 4)));
typedef float number_lanes __attribute__((vector_size(float_lanes * 4)));

inline word_lanes bits_of(vec<float> x) { return __builtin_bit_cast(word_lanes, x.data); }
inline vec<float> vector_of(word_lanes x) { return vec<float>(__builtin_bit_cast(vec<float>::register_type, x)); }

inline vec<float> numbers_of(short_lanes x, bfloat16) {
  return vector_of(__builtin_convertvector(x, word_lanes) << 16);
}
// The high 16 bits of each word; what the others are is undefined.
inline word_lanes rounded_to_bfloat16(vec<float> x) {
  const word_lanes bits = bits_of(x), odd = (bits & 0x10000) != 0;  // -1 where true
  return bits_of(xsimd::select(xsimd::isnan(x), vector_of(bits | 0x400000), vector_of(bits + 0x7fff - odd)));
}
inline short_lanes elements_of(vec<float> x, bfloat16) {
  return __builtin_convertvector(rounded_to_bfloat16(x) >> 16, short_lanes);
}

#if defined(__F16C__)
typedef _Float16 half_lanes __attribute__((vector_size(float_lanes * 2)));
inline vec<float> numbers_of(short_lanes x, half) {
  return vector_of(
      __builtin_bit_cast(word_lanes, __builtin_convertvector(__builtin_bit_cast(half_lanes, x), number_lanes)));
}
inline short_lanes elements_of(vec<float> x, half) {
  const number_lanes numbers = __builtin_bit_cast(number_lanes, x.data);
  return __builtin_bit_cast(short_lanes, __builtin_convertvector(numbers, half_lanes));
}
#else
inline vec<float> numbers_of(short_lanes x, half) {
  word_lanes all;
  for (int i = 0; i < float_lanes; ++i) all[i] = tb_kernel::bits_of_float(tb_kernel::to_float(half{x[i]}));
  return vector_of(all);
}
inline short_lanes elements_of(vec<float> x, half) {
  const word_lanes bits = bits_of(x);
  short_lanes all;
  for (int i = 0; i < float_lanes; ++i) all[i] = tb_kernel::to_half(tb_kernel::float_of_bits(bits[i])).bits;
  return all;
}
#endif

// The elements of one register, as two. Those of bfloat16 are the low and the high 16 bits of its words, which takes no
// shuffles; those of float16 are in order.
struct float_pair {
  vec<float> first, second;
};
struct short_pair {
  short_lanes first, second;
};
inline float_pair pair_of(word_lanes x, bfloat16) { return {vector_of(x << 16), vector_of(x & 0xffff0000)}; }
inline float_pair pair_of(short_pair x, half) { return {numbers_of(x.first, half()), numbers_of(x.second, half())}; }
inline word_lanes elements_of(float_pair x, bfloat16) {
  return rounded_to_bfloat16(x.first) >> 16 | (rounded_to_bfloat16(x.second) & 0xffff0000);
}
inline short_pair elements_of(float_pair x, half) {
  return {elements_of(x.first, half()), elements_of(x.second, half())};
}

template <typename E>
concept half_element = std::is_same_v<E, half> || std::is_same_v<E, bfloat16>;

// As those of float: other lanes are set to `rest`, memory past the end is not accessed.
template <half_element E>
vec<float> load_lanes(const E* at, int64_t lanes, float rest) {
  short_lanes x = {};
  if (lanes == float_lanes) {
    __builtin_memcpy(&x, at, sizeof x);
    return numbers_of(x, E());
  }
  __builtin_memcpy(&x, at, static_cast<size_t>(lanes) * sizeof(E));
  word_lanes index;
  for (int i = 0; i < float_lanes; ++i) index[i] = uint32_t(i);
  const word_lanes taken = index < uint32_t(lanes);
  return vector_of((taken & bits_of(numbers_of(x, E()))) | (~taken & bits_of(vec<float>(rest))));
}
template <half_element E>
void store_lanes(E* at, int64_t lanes, vec<float> value) {
  const short_lanes x = elements_of(value, E());
  if (lanes == float_lanes) {
    __builtin_memcpy(at, &x, sizeof x);
  } else {
    __builtin_memcpy(at, &x, static_cast<size_t>(lanes) * sizeof(E));
  }
}

// Of up to 2 float_lanes elements; the others are 0.
template <half_element E>
float_pair load_pair(const E* at, int64_t count) {
  decltype(elements_of(float_pair(), E())) x = {};
  if (count == 2 * float_lanes) {
    __builtin_memcpy(&x, at, sizeof x);
  } else {
    __builtin_memcpy(&x, at, static_cast<size_t>(count) * sizeof(E));
  }
  return pair_of(x, E());
}
template <half_element E>
void store_pair(E* at, int64_t count, float_pair value) {
  const auto x = elements_of(value, E());
  if (count == 2 * float_lanes) {
    __builtin_memcpy(at, &x, sizeof x);
  } else {
    __builtin_memcpy(at, &x, static_cast<size_t>(count) * sizeof(E));
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
