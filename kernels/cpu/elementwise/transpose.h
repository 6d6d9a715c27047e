// Transposes tiles of matrices, so that operands which are dense along the other dimension are read by whole cache
// lines.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

// out[r][c] = in[c][r] for r < rows, c < columns. out_step and in_step are the distances between rows of `out` and of
// `in`, in bytes.
void transpose(void* out, int64_t out_step, const void* in, int64_t in_step, int64_t rows, int64_t columns,
               int64_t element_bytes);

namespace {

// Tile sizes along dimension 1 and dimension 0 of a plan.
constexpr int64_t tile_rows = 16, tile_columns = 128;

// Whether to transpose input operand k in tiles: it is dense along dimension 1, and neighbours along dimension 0 lie
// far apart (at least 8 elements).
inline bool lies_across(const tb_plan& plan, int k) {
  const tb_operand& operand = plan.operand[k];
  const int64_t step = operand.strides[0];
  return plan.ndim >= 2 && operand.strides[1] == 1 && (step >= 8 || step <= -8) && plan.sizes[1] >= tile_rows &&
         operand.data != plan.operand[0].data;
}

}  // namespace

}  // namespace tb_cpu::TOPBIT_ARCH
