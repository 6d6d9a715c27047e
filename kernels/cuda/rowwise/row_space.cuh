// The rows of a call as kernel parameters: the collapsed batch and the operands.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "reduce/block_reduce.cuh"

namespace tb_cuda {

// The call with batch dimensions merged where the strides of all operands allow it.
inline tb_rowwise collapsed(tb_rowwise call) {
  int kept = 0;
  for (int d = 0; d < call.ndim; ++d) {
    if (call.sizes[d] == 1) continue;
    bool joins = kept > 0;
    for (int k = 0; k < call.operands && joins; ++k) {
      const int64_t* const strides = call.row[k].strides;
      joins = call.row[k].data == nullptr || strides[d] == strides[kept - 1] * call.sizes[kept - 1];
    }
    if (joins) {
      call.sizes[kept - 1] *= call.sizes[d];
      continue;
    }
    call.sizes[kept] = call.sizes[d];
    for (int k = 0; k < call.operands; ++k) call.row[k].strides[kept] = call.row[k].strides[d];
    ++kept;
  }
  call.ndim = kept;
  return call;
}

// The operands' offsets of the row at a batch position.
template <int Operands>
offsets<Operands> batch_of(const tb_rowwise& call) {
  static constexpr int64_t nowhere[TB_MAX_DIMS] = {};
  return offsets<Operands>(call.ndim, call.sizes,
                           [&](int k) { return call.row[k].data == nullptr ? nowhere : call.row[k].strides; });
}

// A row operand as a kernel parameter. Null data: omitted.
struct row_data {
  void* data;
  int64_t step;
  int32_t dtype;

  row_data() = default;
  explicit row_data(const tb_row_operand& row) : data(row.data), step(row.step), dtype(row.dtype) {}

  template <typename C>
  __device__ C get(int64_t base, int64_t i) const {
    return load_as<C>(data, dtype, base + i * step);
  }
  template <typename C>
  __device__ void put(int64_t base, int64_t i, C value) const {
    store_as<C>(data, dtype, base + i * step, value);
  }
};

constexpr int64_t bytes_of_dtype[TB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

// The rows of a call: batch, common length and operands.
template <int Operands>
struct row_space {
  offsets<Operands> batch;
  int64_t length;
  row_data row[Operands];

  row_space() = default;
  row_space(const tb_rowwise& call, int64_t n) : batch(batch_of<Operands>(call)), length(n) {
    for (int k = 0; k < Operands; ++k) row[k] = row_data(call.row[k]);
  }
};

// Whether the rows of an operand are contiguous and aligned to 16 bytes; true for an omitted operand.
inline bool in_packs(const tb_rowwise& call, int k) {
  const tb_row_operand& row = call.row[k];
  if (row.data == nullptr) return true;
  const int64_t packed = 16 / bytes_of_dtype[row.dtype];
  if (row.step != 1 || row.length % packed != 0 || reinterpret_cast<uintptr_t>(row.data) % 16 != 0) return false;
  for (int d = 0; d < call.ndim; ++d) {
    if (row.strides[d] % packed != 0) return false;
  }
  return true;
}

// Whether rows are interleaved: neighbouring rows are adjacent in memory, elements of a row are not.
inline bool beside_in(const tb_rowwise& call, int k) {
  const tb_row_operand& row = call.row[k];
  return call.ndim > 0 && row.strides[0] == 1 && row.step != 1;
}

}  // namespace tb_cuda
