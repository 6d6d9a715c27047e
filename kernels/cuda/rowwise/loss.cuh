// Losses by family; the call has its batch collapsed.
#pragma once

#include "rowwise/row_space.cuh"
#include "rowwise/rowwise.cuh"

namespace tb_cuda {

// The label of a row, and what it counts for.
struct labels {
  row_data row, weight;
  int64_t ignored;
  int64_t classes;
  reporter report;

  // False if the label is out of range, which is reported. The label to ignore is -1 here.
  __device__ bool read(int64_t at, int64_t weight_at, bool tells, int64_t& label, double& weighs) const {
    label = row.get<int64_t>(at, 0);
    weighs = 0;
    if (label == ignored) {
      label = -1;
      return true;
    }
    if (label < 0 || label >= classes) {
      if (tells) report(TB_BAD_INDEX, label);
      return false;
    }
    weighs = weight.data == nullptr ? 1 : weight.get<double>(weight_at, label);
    return true;
  }
};

tb_status cross_entropy(const tb_rowwise& call, const scope& on);
tb_status cross_entropy_backward(const tb_rowwise& call, const scope& on);

}  // namespace tb_cuda
