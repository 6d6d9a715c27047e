// Accumulators whose rounding error does not grow with the length.
//
// Floats are accumulated in double, which has bits to spare for any length that fits in memory. Doubles are
// accumulated with compensation (Knuth's two-sum), which is free because memory bandwidth is the limit.
#pragma once

#include "elementwise/elements.cuh"

namespace tb_cuda {

struct plain_sum {
  double total;
  __device__ static plain_sum of(double x) { return {x}; }
  __device__ void add(double x) { total += x; }
  __device__ void add(plain_sum other) { total += other.total; }
  __device__ double value() const { return total; }
};

struct exact_sum {
  double total, rest;
  __device__ static exact_sum of(double x) { return {x, 0}; }
  __device__ void add(double x) {
    const double after = total + x, taken = after - total;
    rest += (total - (after - taken)) + (x - taken);
    total = after;
  }
  __device__ void add(exact_sum other) {
    add(other.total);
    rest += other.rest;
  }
  // If the total is infinite, the compensation is NaN and is ignored.
  __device__ double value() const { return rest != rest ? total : total + rest; }
};

struct wrapping_sum {
  uint64_t total;
  __device__ static wrapping_sum of(int64_t x) { return {uint64_t(x)}; }
  __device__ void add(uint64_t x) { total += x; }
  __device__ void add(wrapping_sum other) { total += other.total; }
  __device__ int64_t value() const { return int64_t(total); }
};

template <typename C>
using sum_of = std::conditional_t<std::is_same_v<C, float>, plain_sum,
                                  std::conditional_t<std::is_same_v<C, double>, exact_sum, wrapping_sum>>;

struct join_sums {
  template <typename Sum>
  __device__ Sum operator()(Sum a, const Sum& b) const {
    a.add(b);
    return a;
  }
};

}  // namespace tb_cuda
