// The entries of the kernel table, each in the source of its family.
#pragma once

#include "kernel_abi.h"

namespace tb_cuda {

tb_status copy(const tb_plan* plan, void* stream);
tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void* stream);
tb_status elementwise(const tb_elementwise* call, void* stream);
tb_status reduce(const tb_reduction* call, void* stream);
tb_status rowwise(const tb_rowwise* call, void* stream);
tb_status matmul(const tb_matmul* product, void* stream);
tb_status take(const tb_take* call, void* stream);
tb_status random(const tb_random* call, void* stream);
tb_status nonzero(tb_nonzero* call, void* stream);
tb_status pool(const tb_pool* call, void* stream);
tb_status convolve(const tb_convolution* call, void* stream);
tb_status update(const tb_update* call, void* stream);
tb_status attention(const tb_attention* call, void* stream);

}  // namespace tb_cuda
