// Iterates over the positions of a batch of rows in order, as runs of rows with a constant pitch.
#pragma once

#include "elementwise/for_each_row.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// The batch of a call with its dimensions collapsed where all operands allow it; at least one dimension.
struct row_batch {
  int ndim = 1;
  int operands = 0;
  int64_t total = 1;
  int64_t sizes[TB_MAX_DIMS] = {1};
  int64_t strides[TB_MAX_ROWS][TB_MAX_DIMS] = {};  // in bytes
  char* data[TB_MAX_ROWS] = {};

  explicit row_batch(const tb_rowwise& call) : operands(call.operands) {
    for (int k = 0; k < operands; ++k) data[k] = static_cast<char*>(call.row[k].data);
    int last = -1;
    for (int d = 0; d < call.ndim; ++d) {
      total *= call.sizes[d];
      if (call.sizes[d] == 1) continue;
      int64_t step[TB_MAX_ROWS];
      bool joins = last >= 0;
      for (int k = 0; k < operands; ++k) {
        const tb_row_operand& row = call.row[k];
        step[k] = row.data == nullptr ? 0 : row.strides[d] * element_bytes[row.dtype];
        joins = joins && step[k] == strides[k][last] * sizes[last];
      }
      if (joins) {
        sizes[last] *= call.sizes[d];
        continue;
      }
      sizes[++last] = call.sizes[d];
      for (int k = 0; k < operands; ++k) strides[k][last] = step[k];
    }
    if (last > 0) ndim = last + 1;
  }

  // Whether several positions share a row of operand k.
  bool repeats(int k) const {
    for (int d = 0; d < ndim; ++d) {
      if (sizes[d] > 1 && strides[k][d] == 0) return true;
    }
    return false;
  }
};

// Calls visit(addresses, count) for the positions first to last - 1, as runs along dimension 0, until visit returns
// false.
template <typename Visit>
bool each_run(const row_batch& batch, int64_t first, int64_t last, Visit visit) {
  char* at[TB_MAX_ROWS] = {};
  int64_t index[TB_MAX_DIMS] = {};
  const auto move = [&](int d, int64_t count) {
    for (int k = 0; k < batch.operands; ++k) {
      if (at[k] != nullptr) at[k] += batch.strides[k][d] * count;
    }
  };
  for (int k = 0; k < batch.operands; ++k) at[k] = batch.data[k];
  for (int64_t d = 0, rest = first; d < batch.ndim && rest > 0; rest /= batch.sizes[d++]) {
    index[d] = rest % batch.sizes[d];
    move(int(d), index[d]);
  }
  while (first < last) {
    const int64_t here = batch.sizes[0] - index[0], count = here < last - first ? here : last - first;
    if (!visit(static_cast<char* const*>(at), count)) return false;
    first += count;
    move(0, -index[0]);
    index[0] = 0;
    for (int d = 1; d < batch.ndim; ++d) {
      if (++index[d] < batch.sizes[d]) {
        move(d, 1);
        break;
      }
      index[d] = 0;
      move(d, 1 - batch.sizes[d]);
    }
  }
  return true;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
