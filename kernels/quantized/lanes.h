// Vectors of one architecture, by the compiler's vector extension, and the conversions that kernels share.
//
// Each source that includes this file is compiled once per architecture, with TOPBIT_ARCH set to its name. All
// functions are internal or in namespace tb_quantized_cpu::TOPBIT_ARCH, so that the linker merges nothing that was
// compiled for different processors.
#pragma once

#include <stdint.h>
#include <string.h>

#include "half.h"
#include "quantized_kernels.h"

#if defined(__x86_64__)
#  include <immintrin.h>
#endif

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

#if defined(__AVX512F__)
constexpr int width = 16;
#elif defined(__AVX2__)
constexpr int width = 8;
#else
constexpr int width = 4;
#endif

typedef float floats __attribute__((vector_size(width * 4)));
typedef int32_t ints __attribute__((vector_size(width * 4)));
typedef uint32_t words __attribute__((vector_size(width * 4)));

template <typename V>
V load(const void* from) {
  V v;
  memcpy(&v, from, sizeof v);
  return v;
}
template <typename V>
void store(void* to, V v) {
  memcpy(to, &v, sizeof v);
}

inline floats broadcast(float x) { return floats{} + x; }

inline floats multiply_add(floats a, floats b, floats c) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// Adds the lanes pairwise.
inline float sum_of_lanes(floats v) {
#if defined(__AVX512F__)
  auto eight = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
               __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#elif defined(__AVX2__)
  auto eight = v;
#endif
#if defined(__AVX2__)
  auto four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#else
  auto four = v;
#endif
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// The 4-bit codes in the low bits of each lane, as floats.
#if defined(__AVX512F__)
inline floats low_codes(words v, floats table) { return _mm512_permutexvar_ps(__m512i(v), table); }
inline floats code_table(float first) { return floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} + first; }
#else
inline floats low_codes(words v, floats first) { return __builtin_convertvector(ints(v & 15u), floats) + first; }
inline floats code_table(float first) { return broadcast(first); }
#endif

// `width` codes of 8 bits, as floats.
inline floats byte_codes(const int8_t* from) {
  typedef int8_t bytes __attribute__((vector_size(width)));
  return __builtin_convertvector(__builtin_convertvector(load<bytes>(from), ints), floats);
}

inline float half_to_float(tb_kernel::half x) {
#if defined(__F16C__)
  return _cvtsh_ss(x.bits);
#else
  return to_float(x);
#endif
}

// `count` numbers of any type that parameters may have, as floats.
inline void load_floats(const void* from, int32_t dtype, int64_t first, int64_t count, float* to) {
  switch (dtype) {
    case TB_F32: memcpy(to, static_cast<const float*>(from) + first, size_t(count) * sizeof(float)); break;
    case TB_F16: {
      const auto* const x = static_cast<const tb_kernel::half*>(from) + first;
      int64_t i = 0;
#if defined(__F16C__)
      for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, _mm256_cvtph_ps(load<__m128i>(x + i)));
#endif
      for (; i < count; ++i) to[i] = half_to_float(x[i]);
      break;
    }
    case TB_BF16:
      for (int64_t i = 0; i < count; ++i) to[i] = to_float(static_cast<const tb_kernel::bfloat16*>(from)[first + i]);
      break;
    case TB_F64:
      for (int64_t i = 0; i < count; ++i) to[i] = float(static_cast<const double*>(from)[first + i]);
      break;
    case TB_I8:
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<const int8_t*>(from)[first + i];
      break;
    case TB_U8:
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<const uint8_t*>(from)[first + i];
      break;
    case TB_I32:
      for (int64_t i = 0; i < count; ++i) to[i] = float(static_cast<const int32_t*>(from)[first + i]);
      break;
    default:
      for (int64_t i = 0; i < count; ++i) to[i] = float(static_cast<const int64_t*>(from)[first + i]);
  }
}

inline void store_floats(const float* from, int32_t dtype, int64_t count, void* to) {
  switch (dtype) {
    case TB_F32: memcpy(to, from, size_t(count) * sizeof(float)); break;
    case TB_F16: {
      auto* const y = static_cast<tb_kernel::half*>(to);
      int64_t i = 0;
#if defined(__F16C__)
      for (; i + 8 <= count; i += 8) store(y + i, _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#endif
      for (; i < count; ++i) y[i] = tb_kernel::to_half(from[i]);
      break;
    }
    default:
      for (int64_t i = 0; i < count; ++i) static_cast<tb_kernel::bfloat16*>(to)[i] = tb_kernel::to_bfloat16(from[i]);
  }
}

// Rounds to an integer, ties to even: after adding this number, the low bits of the sum are the integer.
constexpr float float_rounder = 0x1.8p23f;
constexpr double double_rounder = 0x1.8p52;
inline int32_t rounded(float x) {
  const float sum = x + float_rounder;
  int32_t bits, zero;
  memcpy(&bits, &sum, sizeof bits);
  memcpy(&zero, &float_rounder, sizeof zero);
  return bits - zero;
}
inline int32_t rounded(double x) {
  const double sum = x + double_rounder;
  int64_t bits, zero;
  memcpy(&bits, &sum, sizeof bits);
  memcpy(&zero, &double_rounder, sizeof zero);
  return int32_t(bits - zero);
}

inline int64_t size_of(int32_t dtype) { return dtype == TB_F64 ? 8 : dtype == TB_F32 ? 4 : dtype == TB_I8 ? 1 : 2; }
inline const char* element(const void* from, int32_t dtype, int64_t i) {
  return static_cast<const char*>(from) + i * size_of(dtype);
}
inline char* element(void* from, int32_t dtype, int64_t i) { return static_cast<char*>(from) + i * size_of(dtype); }

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t groups_of(const tb_quantized& w) { return w.columns / w.group + (w.columns % w.group != 0); }
inline const uint8_t* codes_of(const tb_quantized& w, int64_t row) {
  return static_cast<const uint8_t*>(w.codes) + row * w.row_bytes;
}

// Scales and offsets of groups [group, group + count) of a row. Offsets are those to subtract from codes, or minima.
inline void load_parameters(const tb_quantized& w, int64_t row, int64_t group, int64_t count, float* scales,
                            float* offsets) {
  const int64_t first = row % w.scale_rows * groups_of(w) + group;
  load_floats(w.scales, w.scale_dtype, first, count, scales);
  if (w.offset != TB_OFFSET_NONE) {
    load_floats(w.offsets, w.offset_dtype, first, count, offsets);
  } else {
    for (int64_t g = 0; g < count; ++g) offsets[g] = w.bits == 4 ? 8.0f : 0.0f;
  }
}

}  // namespace

// out[0 .. count) = columns [first, first + count) of a row, dequantized; `first` is even for 4 bits.
void dequantize_part(const tb_quantized& w, int64_t row, int64_t first, int64_t count, float* out);

void quantize(const tb_quantize* call, int64_t begin, int64_t end);
void dequantize(const tb_dequantize* call, int64_t begin, int64_t end);
void dequantize_rows(const tb_dequantize_rows* call, int64_t begin, int64_t end);
void group_range(const tb_group_range* call, int64_t begin, int64_t end);
size_t matmul_workspace(const tb_quantized_matmul* call);
void matmul_prepare(const tb_quantized_matmul* call, int64_t begin, int64_t end);
void matmul(const tb_quantized_matmul* call, int64_t begin, int64_t end);
void matmul_plain(const tb_quantized_matmul_plain* call, int64_t begin, int64_t end);
void quantize_blocks(const tb_quantize_blocks* call, int64_t begin, int64_t end);
void read_blocks(const tb_blocks* call, int64_t begin, int64_t end);
void write_blocks(const tb_blocks* call, int64_t begin, int64_t end);

}  // namespace tb_quantized_cpu::TOPBIT_ARCH
