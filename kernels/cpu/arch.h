// One architecture's view of the kernels: which xsimd architecture it is, and the functions of its table.
//
// Each source that includes this file is compiled once per architecture, with TOPBIT_ARCH set to its name. The
// linker keeps one copy of a weak symbol, so a function compiled for a wide processor must never share its name
// with one compiled for a narrow one. Hence: functions live in namespace tb_cpu::TOPBIT_ARCH or are internal, and
// the build renames namespace xsimd itself per architecture. The CTest kernels.nm looks after it.
#pragma once

#include <stdint.h>

#include <xsimd/xsimd.hpp>

#include "kernel_abi.h"

namespace tb_cpu {

namespace sse2 {
using isa = xsimd::sse2;
}
namespace avx2 {
using isa = xsimd::fma3<xsimd::avx2>;
}
namespace avx512 {
using isa = xsimd::avx512bw;
}

namespace TOPBIT_ARCH {

template <typename T>
using vec = xsimd::batch<T, isa>;

tb_status fill(const tb_plan* plan, tb_scalar value, void* stream);
tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void* stream);
tb_status copy(const tb_plan* plan, void* stream);
tb_status unary(tb_unary_op op, const tb_plan* plan, void* stream);
tb_status binary(tb_binary_op op, const tb_plan* plan, tb_scalar alpha, void* stream);
tb_status compare(tb_compare_op op, const tb_plan* plan, void* stream);
tb_status sum(const tb_reduce* reduce, void* stream);
tb_status argmax(const tb_reduce* reduce, void* stream);
tb_status matmul(const tb_matmul* product, void* stream);
tb_status log_softmax(const tb_rows* rows, void* stream);
tb_status log_softmax_backward(const tb_rows* rows, void* stream);
tb_status nll_loss(const tb_rows* rows, void* stream);
tb_status nll_loss_backward(const tb_rows* rows, void* stream);

}  // namespace TOPBIT_ARCH
}  // namespace tb_cpu
