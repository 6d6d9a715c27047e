// Reductions over a group of threads: sums, maxima, and any associative join.
//
// A group is `width` neighbouring threads of a block: a power of two up to reduce_threads, the whole block.
#pragma once

#include <string.h>

#include "runtime/launch.cuh"

namespace tb_cuda {

constexpr int lanes_of_warp = 32;
constexpr int reduce_threads = 256;
constexpr unsigned all_lanes = 0xffffffff;

constexpr int64_t least_of(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t greatest_of(int64_t a, int64_t b) { return a > b ? a : b; }
constexpr int64_t parts_of(int64_t whole, int64_t part) { return (whole + part - 1) / part; }
constexpr int64_t power_of_two_above(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

// Warp shuffle of a trivially copyable struct, word by word.
template <typename T>
__device__ T shuffle_xor(T value, int bits) {
  static_assert(sizeof(T) % 4 == 0);
  unsigned words[sizeof(T) / 4];
  memcpy(words, &value, sizeof value);
#pragma unroll
  for (unsigned i = 0; i < sizeof(T) / 4; ++i) words[i] = __shfl_xor_sync(all_lanes, words[i], bits);
  memcpy(&value, words, sizeof value);
  return value;
}

// Reduces the values of all threads of the group with join(a, b); every thread gets the result. The order depends
// only on the width. All threads of the block must call this together.
template <typename T, typename Join>
__device__ T join_group(T value, int width, const Join& join) {
#pragma unroll
  for (int bits = lanes_of_warp / 2; bits > 0; bits /= 2) {
    if (bits < width) value = join(value, shuffle_xor(value, bits));
  }
  if (width <= lanes_of_warp) return value;
  constexpr int warps = reduce_threads / lanes_of_warp;
  __shared__ T of_warp[warps];
  // Other threads may still read the values of the previous call.
  __syncthreads();
  if (threadIdx.x % lanes_of_warp == 0) of_warp[threadIdx.x / lanes_of_warp] = value;
  __syncthreads();
  const int warps_of_group = width / lanes_of_warp, first = int(threadIdx.x) / width * warps_of_group;
  value = of_warp[first];
#pragma unroll
  for (int w = 1; w < warps; ++w) {
    if (w < warps_of_group) value = join(value, of_warp[first + w]);
  }
  return value;
}

struct join_sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
// Maximum; callers pass no NaN.
struct join_greater {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};

// 16 bytes of elements, for vectorized loads and stores.
template <typename E, int V>
struct alignas(V * sizeof(E)) row_pack {
  E at[V];
};
template <typename E>
inline constexpr int pack_of = 16 / sizeof(E);

}  // namespace tb_cuda
