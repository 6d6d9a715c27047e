// Stands in for CUDA's header of this name: the subset of CUDA that kernels/cuda uses, for a host compiler, so that
// the kernels run in tests without a GPU.
//
// This file has the device side: keywords, thread indices, barriers, warp shuffles and atomics. block.h runs the
// threads of a block; runtime.h declares the host side. Blocks run one after the other, and threads switch at
// barriers only. streams.cpp decides when kernels run.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "block.h"
#include "runtime.h"

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
// Static storage suffices: one block runs at a time.
#define __shared__ static

inline constexpr int warpSize = 32;

inline void __syncthreads() { cuda_emulation::wait_for_block(); }
inline void __syncwarp(unsigned mask = 0xffffffff) { cuda_emulation::wait_for_warp(mask); }
inline void __threadfence() {}
inline void __threadfence_system() {}

inline int __syncthreads_or(int predicate) { return cuda_emulation::block_any(predicate != 0); }

// The value of lane `lane`, for each lane of the mask.
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) {
  const int mine = cuda_emulation::lane();
  return cuda_emulation::exchange(mask, value, mine / width * width + (lane & (width - 1)));
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = warpSize) {
  const int mine = cuda_emulation::lane(), from = mine ^ bits;
  return cuda_emulation::exchange(mask, value, from / width == mine / width ? from : mine);
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const int mine = cuda_emulation::lane(), from = mine + int(delta);
  return cuda_emulation::exchange(mask, value, from / width == mine / width ? from : mine);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  const int mine = cuda_emulation::lane(), from = mine % width < int(delta) ? mine : mine - int(delta);
  return cuda_emulation::exchange(mask, value, from);
}
inline unsigned __ballot_sync(unsigned mask, int predicate) { return cuda_emulation::ballot(mask, predicate != 0); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

// Atomics return the old value. Plain code suffices: all threads run on one host thread.
template <typename T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  *at = T(old + value);
  return old;
}
template <typename T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  if (old < value) *at = value;
  return old;
}
template <typename T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  const T old = *at;
  if (value < old) *at = value;
  return old;
}
template <typename T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  const T old = *at;
  if (old == expected) *at = value;
  return old;
}
