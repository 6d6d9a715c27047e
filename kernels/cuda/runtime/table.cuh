// The entries of CUDA's backend kernel table, each defined in the source of its family.
#pragma once

#include "kernel_abi.h"

namespace tb_cuda {

tb_status copy(const tb_plan* plan, const tb_call* where);
tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, const tb_call* where);
tb_status elementwise(const tb_elementwise* call, const tb_call* where);
tb_status reduce(const tb_reduction* call, const tb_call* where);
tb_status rowwise(const tb_rowwise* call, const tb_call* where);
tb_status matmul(const tb_matmul* product, const tb_call* where);
tb_status take(const tb_take* call, const tb_call* where);
tb_status random(const tb_random* call, const tb_call* where);
tb_status nonzero(tb_nonzero* call, const tb_call* where);
tb_status pool(const tb_pool* call, const tb_call* where);
tb_status convolve(const tb_convolution* call, const tb_call* where);
tb_status update(const tb_update* call, const tb_call* where);
tb_status attention(const tb_attention* call, const tb_call* where);

}  // namespace tb_cuda
