// Gather and scatter along rows: kernels with one thread per index, or one thread per row.
#pragma once

#include "rowwise/row_space.cuh"
#include "rowwise/rowwise.cuh"

namespace tb_cuda {

// All elements of the index operand. `element_offsets` has the offsets of the operands; an operand addressed by the
// index has the offset of its row's start.
struct index_grid {
  offsets<3> element_offsets;
  row_data row[3];
  int64_t range;  // size of the indexed dimension
  reporter report;
};

// Dimensions with the strides of three operands.
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

// The dimensions of the index operand. The batch has fewer than TB_MAX_DIMS dimensions, so the row dimension fits.
// Operand `moved` is addressed by the index and has stride 0 along the row. `only`: 0 for all of the batch, 1 for
// the dimensions in which operand 0 has a stride, 2 for the others.
inline index_dims dims_of(const tb_rowwise& call, int64_t length, int moved, bool with_row, int only = 0) {
  index_dims dims;
  const auto step = [&](int k) { return k >= call.operands || k == moved ? 0 : call.row[k].step; };
  const auto stride = [&](int k, int d) { return k < call.operands ? call.row[k].strides[d] : 0; };
  // For coalescing, the batch is first if the operand accessed in the order of the indices is contiguous along it.
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

// One thread per index. Calls write(offset of the row in operand 0, index, offset in operand 1).
template <typename Write>
__global__ void scatter_at_once(index_grid grid, Write write) {
  for (int64_t e = first_index(); e < grid.element_offsets.count; e += index_step()) {
    int64_t at[3];
    grid.element_offsets.at(e, at);
    const int64_t i = grid.report.index(grid.row[2].get<int64_t>(at[2], 0), grid.range);
    if (i >= 0) write(at[0], i, at[1]);
  }
}
// One thread per row of operand 0, in the order of the indices.
template <typename Write>
__global__ void scatter_in_order(index_grid grid, offsets<3> rows, Write write) {
  for (int64_t r = first_index(); r < rows.count; r += index_step()) {
    int64_t row_at[3];
    rows.at(r, row_at);
    for (int64_t e = 0; e < grid.element_offsets.count; ++e) {
      int64_t at[3];
      grid.element_offsets.at(e, at);
      const int64_t i = grid.report.index(grid.row[2].get<int64_t>(row_at[2] + at[2], 0), grid.range);
      if (i >= 0) write(row_at[0] + at[0], i, row_at[1] + at[1]);
    }
  }
}

template <typename AtOnce, typename InOrder>
tb_status scatter_rows(const tb_rowwise& call, const scope& on, bool in_order, AtOnce at_once, InOrder one_by_one) {
  const int64_t length = call.row[2].length;
  const index_grid grid{dims_of(call, length, 0, true, in_order ? 2 : 0).made(),
                        {row_data(call.row[0]), row_data(call.row[1]), row_data(call.row[2])},
                        call.row[0].length,
                        report_for(on)};
  if (!in_order) return launch_over(on, "scatter", grid.element_offsets.count, scatter_at_once<AtOnce>, grid, at_once);
  const offsets<3> rows = dims_of(call, length, 0, false, 1).made();
  return launch_over(on, "scatter", rows.count, scatter_in_order<InOrder>, grid, rows, one_by_one);
}

// Sums, products, maxima and minima by index (scatter_reduce.cu); the others are in index_rows.cu.
tb_status scatter_reduce(const tb_rowwise& call, const scope& on);

}  // namespace tb_cuda
