// Products of weights with the windows of a convolution, which are read where the copy of the image has them: a
// register of adjacent positions is at one offset from the first window's, for each element of a window.
#pragma once

#include "matmul/microkernel.h"

namespace tb_cpu::TOPBIT_ARCH {

// sums [rows][registers of positions] = weights [rows][depth] * windows [depth][registers], at most tile_rows rows.
template <typename T>
struct window_product {
  const T* weights;
  int64_t weight_row;
  const T* const* from;   // each register's positions, in the window of offset 0
  const int64_t* offset;  // of each element of a window
  int64_t rows, registers, depth;
  T* sums;
  int64_t sums_row;
  bool add;  // to sums
};

// Adds products in the order of multiply_block.
void multiply_windows(const window_product<float>& product);
void multiply_windows(const window_product<double>& product);
#if defined(__AVX512F__)
// Elements are pairs of bfloat16 numbers, depth counts pairs. Requires AVX-512 BF16.
void multiply_window_pairs(const window_product<float>& product);
#endif

}  // namespace tb_cpu::TOPBIT_ARCH
