// Conversions of float16 and bfloat16 lanes to float and back, rounded to nearest, ties to even: by instructions where
// the processor has them, otherwise by the arithmetic of kernels/common/half.h on all lanes.
#pragma once

#include "half.h"
#include "vector_lanes.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

using tb_kernel::bfloat16;
using tb_kernel::half;
using tb_kernel::lanes;

template <int Count>
lanes<float, Count> as_floats(lanes<uint32_t, Count> x) {
  return reinterpret_cast<lanes<float, Count>>(x);
}
template <int Count>
lanes<uint32_t, Count> as_bits(lanes<float, Count> x) {
  return reinterpret_cast<lanes<uint32_t, Count>>(x);
}

template <int Count>
lanes<float, Count> from_half(lanes<uint16_t, Count> x) {
#if defined(__F16C__)
  if constexpr (Count == 1) {
    return static_cast<float>(__builtin_bit_cast(_Float16, x));
  } else {
    return __builtin_convertvector(reinterpret_cast<lanes<_Float16, Count>>(x), lanes<float, Count>);
  }
#else
  if constexpr (Count == 1) {
    return tb_kernel::to_float(half{x});
  } else {
    const auto bits = __builtin_convertvector(x, lanes<uint32_t, Count>);
    const auto magnitude = bits & 0x7fff;
    const auto number = as_bits<Count>(as_floats<Count>(magnitude << 13) * 0x1p112f);
    const auto special = magnitude << 13 | 0x7f800000;
    return as_floats<Count>((bits & 0x8000) << 16 | (magnitude >= 0x7c00 ? special : number));
  }
#endif
}

template <int Count>
lanes<uint16_t, Count> to_half(lanes<float, Count> x) {
#if defined(__F16C__)
  if constexpr (Count == 1) {
    return __builtin_bit_cast(uint16_t, static_cast<_Float16>(x));
  } else {
    return reinterpret_cast<lanes<uint16_t, Count>>(__builtin_convertvector(x, lanes<_Float16, Count>));
  }
#else
  if constexpr (Count == 1) {
    return tb_kernel::to_half(x).bits;
  } else {
    using words = lanes<uint32_t, Count>;
    const words bits = as_bits<Count>(x), magnitude = bits & 0x7fffffff;
    const words special = magnitude > 0x7f800000 ? words{} + 0x7e00 : words{} + 0x7c00;
    const words denormal = as_bits<Count>(as_floats<Count>(magnitude) + 0.5f) - 0x3f000000;
    const words normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
    const words finite = magnitude < 0x38800000 ? denormal : normal;
    const words result = (bits >> 16 & 0x8000) | (magnitude >= 0x47800000 ? special : finite);
    return __builtin_convertvector(result, lanes<uint16_t, Count>);
  }
#endif
}

template <int Count>
lanes<float, Count> from_bfloat16(lanes<uint16_t, Count> x) {
  if constexpr (Count == 1) {
    return tb_kernel::to_float(bfloat16{x});
  } else {
    return as_floats<Count>(__builtin_convertvector(x, lanes<uint32_t, Count>) << 16);
  }
}

template <int Count>
lanes<uint16_t, Count> to_bfloat16(lanes<float, Count> x) {
  if constexpr (Count == 1) {
    return tb_kernel::to_bfloat16(x).bits;
  } else {
    using words = lanes<uint32_t, Count>;
    const words bits = as_bits<Count>(x);
    const words rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40;
    const words result = (bits & 0x7fffffff) > 0x7f800000 ? nan : rounded;
    return __builtin_convertvector(result, lanes<uint16_t, Count>);
  }
}

}  // namespace
}  // namespace tb_sparse::TOPBIT_ARCH
