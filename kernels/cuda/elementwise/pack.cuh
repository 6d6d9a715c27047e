// Several elements that are read and written at once.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

template <typename E, int V>
struct alignas(sizeof(E) * V) pack {
  E of[V];
};

// A device faults where a vector is not aligned; so does the host in its place, which would go on.
template <typename Pack, typename E>
__device__ Pack& vector_at(E* at) {
#ifndef __CUDACC__
  if (reinterpret_cast<uintptr_t>(at) % alignof(Pack) != 0) __builtin_trap();
#endif
  return *reinterpret_cast<Pack*>(at);
}

// `some` elements from there, or one V times where the step is 0; none where it is negative. Lanes without an element
// have the first one.
template <typename E, int V>
__device__ void load(pack<E, V>& to, const void* data, int64_t offset, int32_t step, int some) {
  const E* const from = static_cast<const E*>(data) + offset;
  if (step < 0) return;
  if (step == 0) {
    const E e = *from;
#pragma unroll
    for (int j = 0; j < V; ++j) to.of[j] = e;
  } else if (some == V) {
    to = vector_at<const pack<E, V>>(from);
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) to.of[j] = from[j < some ? j : 0];
  }
}

template <typename E, int V>
__device__ void store(void* data, int64_t offset, const pack<E, V>& from, int some) {
  E* const to = static_cast<E*>(data) + offset;
  if (some == V) {
    vector_at<pack<E, V>>(to) = from;
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < some) to[j] = from.of[j];
    }
  }
}

}  // namespace tb_cuda
