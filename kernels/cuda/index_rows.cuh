// Elements of rows by index: a grid with a thread for each index, and what threads do to a row together.
#pragma once

#include "row_space.cuh"
#include "rowwise.cuh"

namespace tb_cuda {

// Each place of each index row. Operands as a kernel wants them: those moved by their own step along the row come with
// it, those that the index moves in have the start of their row.
struct index_grid {
  offsets<3> places;
  row_data row[3];
  int64_t range;  // of the indices
  reporter report;
};

// Dimensions with their strides for three operands.
struct index_dims {
  int32_t count = 0;
  int64_t sizes[TB_MAX_DIMS] = {};
  int64_t strides[3][TB_MAX_DIMS] = {};

  void add(int64_t size, int64_t first, int64_t second, int64_t third) {
    sizes[count] = size;
    strides[0][count] = first;
    strides[1][count] = second;
    strides[2][count] = third;
    ++count;
  }
  offsets<3> made() const {
    return offsets<3>(count, sizes, [&](int o) { return strides[o]; });
  }
};

// The batch has one dimension less than there may be, so that the row finds room; dimensions of operands `moved` by the
// index have no step along the row. `only`: 0 for all of the batch, 1 for where operand 0 has a stride, 2 for the rest.
inline index_dims dims_of(const tb_rowwise& call, int64_t length, int moved, bool with_row, int only = 0) {
  index_dims dims;
  const auto step = [&](int k) { return k >= call.operands || k == moved ? 0 : call.row[k].step; };
  const auto stride = [&](int k, int d) { return k < call.operands ? call.row[k].strides[d] : 0; };
  // Neighbouring threads have neighbours of what is read or written in the order of the indices.
  const int other = moved == 0 ? 1 : 0;
  const bool beside = call.ndim > 0 && only == 0 && stride(other, 0) == 1 && step(other) != 1;
  if (with_row && !beside) dims.add(length, step(0), step(1), step(2));
  for (int d = 0; d < call.ndim; ++d) {
    if (only != 0 && (stride(0, d) != 0) != (only == 1)) continue;
    dims.add(call.sizes[d], stride(0, d), stride(1, d), stride(2, d));
    if (with_row && beside && d == 0) dims.add(length, step(0), step(1), step(2));
  }
  return dims;
}

// Gather, scatter and the check in index_rows.cu; what is folded into a row in scatter_fold.cu.
tb_status scatter_fold(const tb_rowwise& call, const scope& on);

}  // namespace tb_cuda
