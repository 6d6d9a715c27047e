// The reducer for maximum and minimum. NaN propagates.
#pragma once

#include <limits>

#include "reduce/reduce.cuh"

namespace tb_cuda {

// Whether x replaces best.
template <bool Greatest, typename C>
__device__ bool beats(C x, C best) {
  if constexpr (std::is_floating_point_v<C>) {
    return (Greatest ? x > best : x < best) | ((x != x) & (best == best));
  } else {
    return Greatest ? x > best : x < best;
  }
}

// The identity of the reduction.
template <bool Greatest, typename C>
__device__ constexpr C weakest() {
  using limits = std::numeric_limits<C>;
  if constexpr (std::is_floating_point_v<C>) return Greatest ? -limits::infinity() : limits::infinity();
  return Greatest ? limits::min() : limits::max();
}

template <typename C, bool Greatest, bool Magnitude = false>
struct choosing {
  using compute = C;
  using part = std::conditional_t<std::is_same_v<C, bool_t>, uint32_t, C>;
  static constexpr bool needs_origin = false;

  __device__ part identity() const { return part(weakest<Greatest, C>()); }
  __device__ void take(part& best, C x, int64_t, C) const {
    if constexpr (Magnitude)
      best = join(best, C(::fabs(x)));
    else
      best = join(best, part(x));
  }
  __device__ part join(part a, part b) const { return beats<Greatest>(b, a) ? b : a; }
  __device__ void store(part best, int64_t, const reduced_value& to, int64_t at, int64_t) const {
    store_as<C>(to.out, to.dtype, at, C(best));
  }
};

}  // namespace tb_cuda
