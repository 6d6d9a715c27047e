// Layer norm, RMS norm and their gradients; the batch of the call is collapsed.
#pragma once

#include "rowwise/rowwise.cuh"

namespace tb_cuda {

tb_status layer_norm(const tb_rowwise& call, const scope& on);
tb_status rms_norm(const tb_rowwise& call, const scope& on);
tb_status layer_norm_backward(const tb_rowwise& call, const scope& on);
tb_status layer_norm_weights(const tb_rowwise& call, const scope& on);

}  // namespace tb_cuda
