// Reduces dense elements in SIMD, with several independent accumulators to hide latency. For reducers that have `wide`
// and `wide_join`, the SIMD forms of their map and join.
#pragma once

#include <type_traits>

#include "simd/simd.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// GCC vector extension types: they hold every element type and convert between them.
template <typename P>
using lanes [[gnu::vector_size(sizeof(vec<float>))]] = P;

constexpr int64_t accumulators = 8;

template <typename P, typename T>
lanes<P> load_lanes_as(const T* at) {
  constexpr int64_t width = sizeof(lanes<P>) / sizeof(P);
  if constexpr (sizeof(P) == sizeof(T)) {
    lanes<P> x;
    __builtin_memcpy(&x, at, sizeof x);
    return x;
  } else {
    using narrow [[gnu::vector_size(width * sizeof(T))]] = T;
    narrow x;
    __builtin_memcpy(&x, at, sizeof x);
    return __builtin_convertvector(x, lanes<P>);
  }
}

template <typename F, typename T>
constexpr bool reduces_in_lanes = requires(lanes<typename F::template part<T>> x) {
  F::wide(x, 0.0);
  F::wide_join(x, x);
};

// Elements that are summed in lanes before the sums are flushed to the compensated total: 32 per lane.
template <typename F, typename T>
constexpr int64_t lanes_block = 32 * accumulators * int64_t(sizeof(vec<float>) / sizeof(typename F::template part<T>));

template <typename F, typename T>
typename F::template part<T> reduce_in_lanes(const T* x, int64_t count, double constant) {
  using part = typename F::template part<T>;
  constexpr int64_t width = sizeof(lanes<part>) / sizeof(part);
  const lanes<part> identity = lanes<part>{} + F::template identity<T>();
  lanes<part> all[accumulators];
  for (int64_t u = 0; u < accumulators; ++u) all[u] = identity;
  int64_t i = 0;
  for (; i + accumulators * width <= count; i += accumulators * width) {
    for (int64_t u = 0; u < accumulators; ++u) {
      all[u] = F::wide_join(all[u], F::wide(load_lanes_as<part>(x + i + u * width), constant));
    }
  }
  for (; i + width <= count; i += width) {
    all[0] = F::wide_join(all[0], F::wide(load_lanes_as<part>(x + i), constant));
  }
  for (int64_t n = accumulators / 2; n > 0; n /= 2) {
    for (int64_t u = 0; u < n; ++u) all[u] = F::wide_join(all[u], all[u + n]);
  }
  part lane[width];
  __builtin_memcpy(lane, &all[0], sizeof lane);
  for (int64_t u = 0; i < count; ++i, ++u) lane[u] = F::join(lane[u], F::map(x[i], constant));
  for (int64_t n = width / 2; n > 0; n /= 2) {
    for (int64_t u = 0; u < n; ++u) lane[u] = F::join(lane[u], lane[u + n]);
  }
  return lane[0];
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
