// The softmax operations of the scalar build: one row per call.
#pragma once

#include "softmax_loops.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
rows_loop softmax_loop(int32_t op) {
  switch (op) {
    case TB_SOFTMAX: return {.run = softmax<T>};
    case TB_LOG_SOFTMAX: return {.run = log_softmax<T>};
    case TB_SOFTMAX_BACKWARD: return {.run = softmax_backward<T>};
    case TB_LOG_SOFTMAX_BACKWARD: return {.run = log_softmax_backward<T>};
    default: return {};
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
