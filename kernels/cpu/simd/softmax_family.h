// The softmax operations in SIMD: along contiguous rows, and across interleaved rows.
#pragma once

#include "softmax_across.h"
#include "softmax_forward.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
rows_loop softmax_loop(int32_t op) {
  switch (op) {
    case TB_SOFTMAX: return {.run = softmax<T>, .across = softmax_across<T>, .many = true};
    case TB_LOG_SOFTMAX: return {.run = log_softmax<T>, .across = log_softmax_across<T>, .many = true};
    case TB_SOFTMAX_BACKWARD: return {.run = softmax_backward<T>, .across = softmax_backward_across<T>, .many = true};
    case TB_LOG_SOFTMAX_BACKWARD:
      return {.run = log_softmax_backward<T>, .across = log_softmax_backward_across<T>, .many = true};
    default: return {};
  }
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
