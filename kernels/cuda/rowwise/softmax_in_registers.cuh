// Maximum and sum of exponentials of rows kept in registers, for softmax and cross entropy.
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

// The maximum of a row, and the sum of exponentials of the differences from it. A NaN is never the maximum, but
// makes the sum NaN.
template <typename C>
struct peak {
  C greatest;
  double sum;

  __device__ C log_sum() const { return C(::log(sum)); }
};

// Computes the peak of a kept row. With `exponentiate`, its elements are replaced by the exponentials.
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
