// Softmax and its gradients; the batch of the call is collapsed, and rows are not empty.
#pragma once

#include "rowwise/rowwise.cuh"

namespace tb_cuda {

tb_status softmax_forward(const tb_rowwise& call, const scope& on);
tb_status softmax_backward(const tb_rowwise& call, const scope& on);

}  // namespace tb_cuda
