// What vectors/vector_loops.h has for architectures with vectors, one element at a time.
#pragma once

#include "float_functions.h"
#include "pointwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr loops exp_loops() { return floats<tb_kernel::fn::exp, 1>(); }
constexpr loops log_loops() { return floats<tb_kernel::fn::log, 1>(); }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
