// The reducer that sums a function of each element, and may take a root of the sum.
#pragma once

#include "reduce/reduce.cuh"
#include "reduce/sums.cuh"

namespace tb_cuda {

struct element {
  template <typename C>
  static __device__ auto of(C x, double) {
    if constexpr (std::is_floating_point_v<C>)
      return double(x);
    else
      return uint64_t(x);
  }
};
struct number_or_zero {
  template <typename C>
  static __device__ double of(C x, double) {
    return x != x ? 0 : double(x);
  }
};
struct square {
  template <typename C>
  static __device__ auto of(C x, double) {
    return element::of(x, 0) * element::of(x, 0);
  }
};
struct magnitude {
  template <typename C>
  static __device__ double of(C x, double) {
    return ::fabs(double(x));
  }
};
struct not_zero {
  template <typename C>
  static __device__ double of(C x, double) {
    return x != C(0) ? 1 : 0;
  }
};
struct power {
  template <typename C>
  static __device__ double of(C x, double order) {
    return ::pow(::fabs(double(x)), order);
  }
};

template <typename C, typename Map>
struct adding {
  using compute = C;
  using part = sum_of<C>;
  static constexpr bool needs_origin = false;
  double order = 1;  // order of the root of the sum

  __device__ part identity() const { return part::of(0); }
  __device__ void take(part& sum, C x, int64_t, C) const { sum.add(Map::of(x, order)); }
  __device__ part join(part a, const part& b) const {
    a.add(b);
    return a;
  }
  __device__ void store(const part& sum, int64_t, const reduced_value& to, int64_t at, int64_t) const {
    if constexpr (std::is_floating_point_v<C>) {
      double value = sum.value();
      if (order == 2)
        value = ::sqrt(value);
      else if (order != 1)
        value = ::pow(value, 1 / order);
      store_as<C>(to.out, to.dtype, at, C(value));
    } else {
      store_as<int64_t>(to.out, to.dtype, at, sum.value());
    }
  }
};

}  // namespace tb_cuda
