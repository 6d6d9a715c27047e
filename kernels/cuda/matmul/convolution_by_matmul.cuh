// Convolutions that run as matrix products on matrices in memory.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

// True for 1x1 kernels, and for half precision with enough outputs that tensor cores repay the copy of all windows.
bool is_worth_products(const tb_convolution& c);
// The result has at least one element.
tb_status convolve_by_products(const scope& on, const tb_convolution& c);

}  // namespace tb_cuda
