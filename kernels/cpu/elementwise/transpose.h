// Tiles of matrices turned over, so that what lies densely along the other dimension is read by whole cache lines.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

// out[r][c] = in[c][r] for r < rows, c < columns; steps from one row of `out`, and of `in`, to the next are in bytes.
void transpose(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t rows, int64_t columns,
               int64_t element_bytes);

namespace {

// Of a plan's dimensions 1 and 0.
constexpr int64_t tile_rows = 16, tile_columns = 128;

// Whether operand k, read, is worth turning over: dense along dimension 1, and every element of a row in another line.
inline bool lies_across(const tb_plan& plan, int k) {
  const tb_operand& operand = plan.operand[k];
  const int64_t step = operand.strides[0];
  return plan.ndim >= 2 && operand.strides[1] == 1 && (step >= 8 || step <= -8) && plan.sizes[1] >= tile_rows &&
         operand.data != plan.operand[0].data;
}

}  // namespace

}  // namespace tb_cpu::TOPBIT_ARCH
