// The three ways to multiply, chosen by matmul.cpp. A workspace begins with the rows of x as each way wants them.
#pragma once

#include "lanes.h"

namespace tb_quantized_cpu::TOPBIT_ARCH {
namespace {

// Columns that one vector of 4-byte words holds with 8 codes of 4 bits each. Nibble i of word d is column 8d + i, so
// shifting the words by 4i gives every eighth column: x is stored in that order, chunk by chunk.
constexpr int64_t chunk = 8 * width;

inline int64_t padded(int64_t columns) { return (columns + chunk - 1) / chunk * chunk; }

// The element of x for each position of a chunk.
inline int64_t column_of(int32_t bits, int64_t position) {
  return bits == 4 ? position % width * 8 + position / width : position;
}

// Columns in a row that share parameters and can be multiplied without dequantizing to memory: whole chunks, or of 4
// bits 32 or 64 columns, or of 8 bits 32.
inline bool has_simple_groups(const tb_quantized& w) {
  return w.group >= w.columns || w.group % chunk == 0 || (w.group < chunk && chunk % w.group == 0 && w.group >= 32);
}

// Groups whose parameters are converted at a time.
constexpr int64_t most_groups = 128;

// Parameters of one row of w. Beyond the last group they are 0, since lanes of padding are multiplied too.
struct parameters {
  float scales[most_groups + width], offsets[most_groups + width];

  void load_groups(const tb_quantized& w, int64_t row, int64_t first, int64_t count) {
    load_parameters(w, row, first, count, scales, offsets);
    for (int64_t g = count; g < count + width / 4; ++g) scales[g] = offsets[g] = 0;
  }
};

// A number for each group of a chunk, repeated for its lanes.
template <int GroupsPerChunk>
floats spread(const float* numbers) {
  if constexpr (GroupsPerChunk == 1) return broadcast(*numbers);
#if defined(__AVX2__)
  if constexpr (GroupsPerChunk == 2) {
    typedef float pair __attribute__((vector_size(8)));
    const pair p = load<pair>(numbers);
#  if defined(__AVX512F__)
    return __builtin_shufflevector(p, p, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
#  else
    return __builtin_shufflevector(p, p, 0, 0, 0, 0, 1, 1, 1, 1);
#  endif
  }
#endif
#if defined(__AVX512F__)
  if constexpr (GroupsPerChunk == 4) {
    typedef float four __attribute__((vector_size(16)));
    const four p = load<four>(numbers);
    return __builtin_shufflevector(p, p, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  }
#endif
}

inline void store_result(const tb_quantized_matmul& call, int64_t i, int64_t j, float sum) {
  if (call.bias != nullptr) sum += call.bias[j];
  store_floats(&sum, call.dtype, 1, element(call.out, call.dtype, i * call.out_row + j));
}

}  // namespace

// Columns [first, first + count) of a row, dequantized, in the order of x, followed by zeros to a whole number of
// chunks. `first` is a multiple of chunk, and `count` at most 1024.
void dequantize_ordered(const tb_quantized& w, int64_t row, int64_t first, int64_t count, float* to);

// m <= TB_QUANTIZED_FEW: reads each code once, and no memory but codes, parameters and x.
void multiply_few(const tb_quantized_matmul& call, int64_t begin, int64_t end);
// Dequantizes some rows of w, and multiplies all rows of x with them.
void multiply_many(const tb_quantized_matmul& call, int64_t begin, int64_t end);

// Exact sums of products of codes.
size_t integer_workspace(const tb_quantized_matmul& call);
void prepare_integers(const tb_quantized_matmul& call, int64_t begin, int64_t end);
void multiply_integers(const tb_quantized_matmul& call, int64_t begin, int64_t end);

}  // namespace tb_quantized_cpu::TOPBIT_ARCH
