// Convolutions that are worth to be products of matrices in memory.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

// Windows that are the image itself, and halves with enough outputs that matrix units repay a copy of all windows.
bool is_worth_products(const tb_convolution& c);
// Takes a call with at least one element in its result.
tb_status convolve_by_products(const scope& on, const tb_convolution& c);

}  // namespace tb_cuda
