// Bitonic sort in shared memory. Items carry their original index, which makes them distinct and the sort stable.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

struct narrow_item {
  using key_type = uint32_t;
  uint64_t both;
  __device__ static narrow_item of(uint32_t key, uint32_t index) { return {uint64_t(key) << 32 | index}; }
  __device__ static narrow_item last() { return {UINT64_MAX}; }
  __device__ uint32_t key() const { return uint32_t(both >> 32); }
  __device__ uint32_t index() const { return uint32_t(both); }
  __device__ bool before(const narrow_item& other) const { return both < other.both; }
};

struct wide_item {
  using key_type = uint64_t;
  uint64_t whole;
  uint32_t position;
  __device__ static wide_item of(uint64_t key, uint32_t index) { return {key, index}; }
  __device__ static wide_item last() { return {UINT64_MAX, UINT32_MAX}; }
  __device__ uint64_t key() const { return whole; }
  __device__ uint32_t index() const { return position; }
  __device__ bool before(const wide_item& other) const {
    return whole < other.whole || (whole == other.whole && position < other.position);
  }
};

// Sorts `count` items in rows of `width`, a power of two. All threads of the block call this together; begins and
// ends with a barrier.
template <typename Item>
__device__ void sort_in_shared(Item* items, int count, int width) {
  for (int run = 2; run <= width; run *= 2) {
    for (int apart = run / 2; apart > 0; apart /= 2) {
      __syncthreads();
      for (int c = int(threadIdx.x); c < count / 2; c += int(blockDim.x)) {
        const int low = 2 * c - (c & (apart - 1)), high = low + apart;
        const bool up = run == width || (low & run) == 0;
        const Item a = items[low], b = items[high];
        if (b.before(a) == up) {
          items[low] = b;
          items[high] = a;
        }
      }
    }
  }
  __syncthreads();
}

inline int power_of_two(int64_t at_least) {
  int power = 1;
  while (power < at_least) power *= 2;
  return power;
}

}  // namespace tb_cuda
