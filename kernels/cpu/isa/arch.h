// One architecture's view of the kernels: which xsimd architecture it is, and the functions of its table.
//
// Each source that includes this file is compiled once per architecture, with TOPBIT_ARCH set to its name. The
// linker keeps one copy of a weak symbol, so a function compiled for a wide processor must never share its name
// with one compiled for a narrow one. Hence: functions live in namespace tb_cpu::TOPBIT_ARCH or are internal, and
// the build renames namespace xsimd itself per architecture. The CTest kernels.nm looks after it.
//
// The architecture `reference` has no vectors: the same sources one element at a time, with the C library's functions.
// What is written with vectors includes batches.h and is not part of it.
#pragma once

#include <stdint.h>

#include "kernel_abi.h"

namespace tb_cpu::TOPBIT_ARCH {

tb_status copy(const tb_plan* plan, void* stream);
tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void* stream);
tb_status elementwise(const tb_elementwise* call, void* stream);
tb_dense_loop dense_loop(int32_t op, int32_t compute);
tb_status reduce(const tb_reduction* call, void* stream);
tb_status random(const tb_random* call, void* stream);
tb_status matmul(const tb_matmul* product, void* stream);
tb_status convolve(const tb_convolution* call, void* stream);
tb_status pool(const tb_pool* call, void* stream);
tb_status attention(const tb_attention* call, void* stream);
tb_status update(const tb_update* call, void* stream);
tb_status rowwise(const tb_rowwise* call, void* stream);
tb_status take(const tb_take* call, void* stream);
tb_status nonzero(tb_nonzero* call, void* stream);

}  // namespace tb_cpu::TOPBIT_ARCH
