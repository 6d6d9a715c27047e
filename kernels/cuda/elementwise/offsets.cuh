// Maps a linear position to the operands' offsets. Sizes and strides are kernel parameters, which are in constant
// memory; below 2^31 positions, divisions by sizes are multiplications.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

// Division of n < 2^31 by a divisor known at launch (Granlund, Montgomery: "Division by invariant integers using
// multiplication", 1994).
struct divider {
  uint32_t divisor, multiplier, shift;

  divider() = default;
  explicit divider(uint32_t by) : divisor(by), shift(0) {
    while ((uint64_t(1) << shift) < by) ++shift;
    multiplier = uint32_t(((uint64_t(1) << 32) * ((uint64_t(1) << shift) - by)) / by + 1);
  }

  __host__ __device__ uint32_t quotient(uint32_t n) const {
    return uint32_t((uint64_t(n) * multiplier >> 32) + n) >> shift;
  }
};

// Offsets of `Operands` operands over up to 8 dimensions; dimension 0 varies fastest.
template <int Operands>
struct offsets {
  int32_t ndim;
  int32_t narrow;  // fewer than 2^31 positions
  int64_t count;   // of positions
  divider by[TB_MAX_DIMS];
  int64_t sizes[TB_MAX_DIMS];
  int64_t strides[Operands][TB_MAX_DIMS];

  offsets() = default;
  // strides_of(o): the strides of operand o over these dimensions.
  template <typename Strides>
  offsets(int32_t dims, const int64_t* size, Strides strides_of) : ndim(dims), count(1) {
    for (int d = 0; d < TB_MAX_DIMS; ++d) {
      sizes[d] = d < dims ? size[d] : 1;
      count *= sizes[d];
      for (int o = 0; o < Operands; ++o) strides[o][d] = d < dims ? strides_of(o)[d] : 0;
    }
    narrow = count < INT64_C(0x80000000);
    // Only the dimensions that at() uses: each constructor costs a division.
    for (int d = 0; d < dims; ++d) by[d] = divider(narrow && sizes[d] > 0 ? uint32_t(sizes[d]) : 1);
  }
  // Of the dimensions of a plan from `first` on.
  explicit offsets(const tb_plan& plan, int32_t first = 0)
      : offsets(plan.ndim - first, plan.sizes + first, [&](int o) { return plan.operand[o].strides + first; }) {}

  __device__ void at(int64_t position, int64_t (&offset)[Operands]) const {
    for (int o = 0; o < Operands; ++o) offset[o] = 0;
    if (narrow) {
      uint32_t rest = uint32_t(position);
#pragma unroll
      for (int d = 0; d < TB_MAX_DIMS; ++d) {
        if (d >= ndim) break;
        const uint32_t next = by[d].quotient(rest), index = rest - next * by[d].divisor;
        rest = next;
        for (int o = 0; o < Operands; ++o) offset[o] += int64_t(index) * strides[o][d];
      }
    } else {
      int64_t rest = position;
      for (int d = 0; d < ndim; ++d) {
        const int64_t index = rest % sizes[d];
        rest /= sizes[d];
        for (int o = 0; o < Operands; ++o) offset[o] += index * strides[o][d];
      }
    }
  }
};

}  // namespace tb_cuda
