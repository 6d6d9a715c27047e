// Softmax of rows that are kept in registers, and what its results are made of.
#pragma once

#include "rowwise/row_registers.cuh"

namespace tb_cuda {

template <typename C>
__device__ C exponential(C x) {
  if constexpr (std::is_same_v<C, float>)
    return ::expf(x);
  else
    return ::exp(x);
}

template <typename C>
constexpr C lowest() {
  return -C(INFINITY);
}

// The greatest element of a row and the sum of exponentials of the distances from it. A NaN is never the greatest; it
// makes the sum one.
template <typename C>
struct peak {
  C greatest;
  double sum;

  __device__ C log_sum() const { return C(::log(sum)); }
};

// Of a kept row, whose elements become those exponentials with `exponentiate`.
template <bool MayStandBeside, typename Row>
__device__ auto peak_of(Row& row, const row_groups& groups, bool exponentiate) {
  using C = typename Row::C;
  C greatest = lowest<C>();
#pragma unroll
  for (const C x : row.x) greatest = x > greatest ? x : greatest;
  greatest = groups.join<MayStandBeside>(greatest, join_greater());
  double sum = 0;
#pragma unroll
  for (C& x : row.x) {
    const C e = exponential(x - greatest);
    sum += double(e);
    if (exponentiate) x = e;
  }
  return peak<C>{greatest, groups.join<MayStandBeside>(sum, join_sum())};
}

}  // namespace tb_cuda
