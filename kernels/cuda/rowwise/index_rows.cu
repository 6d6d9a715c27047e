// Gather, scatter and index checks along rows; elements are copied as bytes.
#include "rowwise/index_rows.cuh"

namespace tb_cuda {
namespace {

// out [k]; in [n], index [k]
template <typename Bytes>
__global__ void gather(index_grid grid) {
  for (int64_t e = first_index(); e < grid.element_offsets.count; e += index_step()) {
    int64_t at[3];
    grid.element_offsets.at(e, at);
    const int64_t i = grid.report.index(grid.row[2].get<int64_t>(at[2], 0), grid.range);
    if (i < 0) continue;
    static_cast<Bytes*>(grid.row[0].data)[at[0]] =
        static_cast<const Bytes*>(grid.row[1].data)[at[1] + i * grid.row[1].step];
  }
}

// out [n]; source [k], index [k]. When executed in order, the last of equal indices wins.
template <typename Bytes>
struct put {
  Bytes* out;
  const Bytes* source;
  int64_t step;

  __device__ void operator()(int64_t row, int64_t i, int64_t from) const { out[row + i * step] = source[from]; }
};

// index [k], in [n]
__global__ void check_index(offsets<3> element_offsets, row_data index, int64_t range, reporter report) {
  for (int64_t e = first_index(); e < element_offsets.count; e += index_step()) {
    int64_t at[3];
    element_offsets.at(e, at);
    report.index(index.get<int64_t>(at[0], 0), range);
  }
}

template <typename Bytes>
tb_status moved(const tb_rowwise& call, const scope& on) {
  if (call.op == TB_SCATTER) {
    const put<Bytes> write{static_cast<Bytes*>(call.row[0].data), static_cast<const Bytes*>(call.row[1].data),
                           call.row[0].step};
    return scatter_rows(call, on, deterministic(), write, write);
  }
  const index_grid grid{dims_of(call, call.row[0].length, 1, true).made(),
                        {row_data(call.row[0]), row_data(call.row[1]), row_data(call.row[2])},
                        call.row[1].length,
                        report_for(on)};
  return launch_over(on, "gather", grid.element_offsets.count, gather<Bytes>, grid);
}

}  // namespace

tb_status index_rows(const tb_rowwise& given, const scope& on) {
  const tb_rowwise call = collapsed(given);
  if (call.ndim == TB_MAX_DIMS) return refuse("rows by index: a batch of more than 7 dimensions");
  if (call.op == TB_CHECK_INDEX) {
    if (call.row[0].data == nullptr || call.row[0].length == 0) return TB_OK;
    index_dims dims;
    dims.add(call.row[0].length, call.row[0].step, 0, 0);
    for (int d = 0; d < call.ndim; ++d) dims.add(call.sizes[d], call.row[0].strides[d], 0, 0);
    const offsets<3> element_offsets = dims.made();
    return launch_over(on, "an index", element_offsets.count, check_index, element_offsets, row_data(call.row[0]),
                       call.row[1].length, report_for(on));
  }
  if (call.op == TB_GATHER ? call.row[0].length == 0 : call.row[2].length == 0) return TB_OK;
  if (call.op != TB_GATHER && call.op != TB_SCATTER) return scatter_reduce(call, on);
  switch (bytes_of_dtype[call.row[0].dtype]) {
    case 1: return moved<uint8_t>(call, on);
    case 2: return moved<uint16_t>(call, on);
    case 4: return moved<uint32_t>(call, on);
    default: return moved<uint64_t>(call, on);
  }
}

}  // namespace tb_cuda
