// Iterates over a plan: visits every row of dimension 0 with the address of each operand's first element.
#pragma once

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A BOOL element, as a type distinct from uint8_t.
struct boolean {
  uint8_t value;
};

constexpr int64_t element_bytes[TB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

// Calls visit(addresses) for each position of the dimensions `first` to ndim - 1; dimension `first` varies fastest.
template <int Operands, typename Visit>
void each_position(const tb_plan& plan, int first, Visit visit) {
  char* at[Operands];
  int64_t step[Operands][TB_MAX_DIMS];
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.sizes[d] <= 0) return;
  }
  for (int o = 0; o < Operands; ++o) {
    const tb_operand& operand = plan.operand[o];
    at[o] = static_cast<char*>(operand.data);
    for (int d = first; d < plan.ndim; ++d) step[o][d] = operand.strides[d] * element_bytes[operand.dtype];
  }
  int64_t index[TB_MAX_DIMS] = {};
  for (;;) {
    visit(static_cast<char* const*>(at));
    int d = first;
    for (; d < plan.ndim; ++d) {
      if (++index[d] < plan.sizes[d]) {
        for (int o = 0; o < Operands; ++o) at[o] += step[o][d];
        break;
      }
      index[d] = 0;
      for (int o = 0; o < Operands; ++o) at[o] -= step[o][d] * (plan.sizes[d] - 1);
    }
    if (d >= plan.ndim) return;
  }
}

// Calls visit(addresses) for each row of dimension 0.
template <int Operands, typename Visit>
void each_row(const tb_plan& plan, Visit visit) {
  each_position<Operands>(plan, 1, visit);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
