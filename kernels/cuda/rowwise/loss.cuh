// Losses and their labels; the batch of the call is collapsed.
#pragma once

#include "rowwise/row_space.cuh"
#include "rowwise/rowwise.cuh"

namespace tb_cuda {

// The labels of rows, and the class weights.
struct labels {
  row_data row, weight;
  int64_t ignored;
  int64_t classes;
  reporter report;

  // Reads a label and its weight. False if it is out of range (reported if `tells`). The ignored label becomes -1.
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
