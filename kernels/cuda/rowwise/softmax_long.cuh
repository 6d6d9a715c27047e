// Online maximum and sum of exponentials, for softmax of rows that do not fit into registers.
#pragma once

#include "rowwise/long_rows.cuh"
#include "rowwise/softmax_in_registers.cuh"

namespace tb_cuda {

// The peak of the elements so far.
template <typename C>
struct online_peak {
  C greatest;
  double sum;

  __device__ static online_peak none() { return {lowest<C>(), 0}; }
  __device__ void take(C x) {
    if (x > greatest) {
      if (sum != 0) sum *= ::exp(double(greatest) - double(x));
      greatest = x;
    }
    sum += double(x == lowest<C>() ? C(0) : exponential(x - greatest));
  }
  __device__ static online_peak joined(online_peak a, online_peak b) {
    const C greatest = a.greatest > b.greatest ? a.greatest : b.greatest;
    const double left = a.sum == 0 ? 0 : a.sum * ::exp(double(a.greatest) - double(greatest));
    const double right = b.sum == 0 ? 0 : b.sum * ::exp(double(b.greatest) - double(greatest));
    return {greatest, left + right};
  }
};

}  // namespace tb_cuda
