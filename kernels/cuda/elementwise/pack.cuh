// Vectors of elements that are loaded and stored by one instruction.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

template <typename E, int V>
struct alignas(sizeof(E) * V) pack {
  E of[V];
};

// A device faults on a misaligned vector. The emulation would not, so it traps.
template <typename Pack, typename E>
__device__ Pack& vector_at(E* at) {
#ifndef __CUDACC__
  if (reinterpret_cast<uintptr_t>(at) % alignof(Pack) != 0) __builtin_trap();
#endif
  return *reinterpret_cast<Pack*>(at);
}

// Loads `some` elements; step 0 broadcasts one element, a negative step loads nothing. Lanes past `some` repeat the
// first element.
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
