// Equivalent forms of a matrix product, for the CPU's and CUDA's kernels.
#pragma once

#include "kernel_abi.h"

namespace tb_kernel {
namespace {

// Transposes the problem: C^T = B^T A^T.
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

// Merges a batch into one product with more rows: b is the same for all, and the rows of a, added and out are evenly
// spaced across the batch.
inline void join_batch(tb_matmul& p) {
  const bool added = p.added == nullptr || p.added_batch == p.m * p.added_row;
  if (p.batch == 1 || p.b_batch != 0 || p.a_batch != p.m * p.a_row || p.out_batch != p.m * p.out_row || !added) return;
  p.m *= p.batch;
  p.batch = 1;
}

}  // namespace
}  // namespace tb_kernel
