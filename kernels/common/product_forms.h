// Other forms of the same product of matrices, for the host's kernels and CUDA's.
#pragma once

#include "kernel_abi.h"

namespace tb_kernel {
namespace {

// The result and all else turned over: a product of the transposed matrices in the other order.
inline void transpose(tb_matmul& p) {
  const auto swap = [](auto& x, auto& y) {
    const auto was = x;
    x = y;
    y = was;
  };
  swap(p.a, p.b);
  swap(p.a_batch, p.b_batch);
  swap(p.m, p.n);
  swap(p.a_row, p.b_col);
  swap(p.a_col, p.b_row);
  swap(p.out_row, p.out_col);
  swap(p.added_row, p.added_col);
}

// A batch whose rows of a, of added and of the result follow one another is one taller product.
inline void join_batch(tb_matmul& p) {
  const bool added = p.added == nullptr || p.added_batch == p.m * p.added_row;
  if (p.batch == 1 || p.b_batch != 0 || p.a_batch != p.m * p.a_row || p.out_batch != p.m * p.out_row || !added) return;
  p.m *= p.batch;
  p.batch = 1;
}

}  // namespace
}  // namespace tb_kernel
