// float16 and bfloat16 elements, for host compilers and nvcc: bit patterns with conversions to and from float.
// Conversions round to nearest, ties to even, as the `half` and `bfloat16` of topbit.tensor do.
#pragma once

#include <stdint.h>
#include <string.h>

#include "function.h"

namespace tb_kernel {
namespace {

struct half {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

TB_FUNCTION uint32_t bits_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
TB_FUNCTION float float_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Results that are denormal are rounded by a float addition: a denormal float16 is a multiple of 2^-24, the ulp of
// floats in [1/2, 1).
TB_FUNCTION half to_half(float x) {
  const uint32_t bits = bits_of_float(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  uint32_t result;
  if (magnitude >= 0x47800000) {
    result = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  } else if (magnitude < 0x38800000) {
    result = bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000;
  } else {
    result = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
  }
  return {uint16_t(sign | result)};
}

TB_FUNCTION float to_float(half x) {
  const uint32_t sign = uint32_t(x.bits & 0x8000) << 16, magnitude = x.bits & 0x7fff;
  if (magnitude >= 0x7c00) return float_of_bits(sign | 0x7f800000 | magnitude << 13);
  // Scaling by a power of two is exact, also for denormal float16 numbers.
  return float_of_bits(sign | bits_of_float(float_of_bits(magnitude << 13) * 0x1p112f));
}

TB_FUNCTION bfloat16 to_bfloat16(float x) {
  const uint32_t bits = bits_of_float(x), quiet = bits | 0x400000, rounded = bits + 0x7fff + (bits >> 16 & 1);
  return {uint16_t(((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded) >> 16)};
}

TB_FUNCTION float to_float(bfloat16 x) { return float_of_bits(uint32_t(x.bits) << 16); }

}  // namespace
}  // namespace tb_kernel
