// The kernels of one architecture: its xsimd architecture and the functions of its backend kernel table.
//
// Each source that includes this file is compiled once per architecture, with TOPBIT_ARCH set to its name. The linker
// keeps one copy of a weak symbol, so a function compiled for AVX-512, say, must not share its name with the one
// compiled for SSE2: the program would crash on older processors. Hence functions live in namespace tb_cpu::TOPBIT_ARCH
// or are internal, and the build renames namespace xsimd per architecture. The CTest kernels.nm checks the symbols.
//
// The architecture `scalar` is the scalar build: the same sources, one element at a time, with the C library's
// functions. It excludes the sources that include simd.h.
#pragma once

#include <stdint.h>

#include "kernel_abi.h"

namespace tb_cpu::TOPBIT_ARCH {

tb_status copy(const tb_plan* plan, const tb_call* where);
tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, const tb_call* where);
tb_status elementwise(const tb_elementwise* call, const tb_call* where);
extern const tb_dense_loops* const dense_loops[TB_ELEMENTWISE_COUNT];
tb_status reduce(const tb_reduction* call, const tb_call* where);
tb_status random(const tb_random* call, const tb_call* where);
tb_status matmul(const tb_matmul* product, const tb_call* where);
tb_status convolve(const tb_convolution* call, const tb_call* where);
tb_status pool(const tb_pool* call, const tb_call* where);
tb_status attention(const tb_attention* call, const tb_call* where);
tb_status update(const tb_update* call, const tb_call* where);
tb_status rowwise(const tb_rowwise* call, const tb_call* where);
tb_status channel_norm(const tb_channel_norm* call, const tb_call* where);
tb_status take(const tb_take* call, const tb_call* where);
tb_status nonzero(tb_nonzero* call, const tb_call* where);

}  // namespace tb_cpu::TOPBIT_ARCH
