// Vectors of one architecture: its xsimd batch, and parts of one at the end of dense memory.
#pragma once

#include <stdint.h>

#include <xsimd/xsimd.hpp>

#include "arch.h"

namespace tb_cpu {

namespace sse2 {
using isa = xsimd::sse2;
}
namespace avx2 {
using isa = xsimd::fma3<xsimd::avx2>;
}
namespace avx512 {
using isa = xsimd::avx512bw;
}

namespace TOPBIT_ARCH {

template <typename T>
using vec = xsimd::batch<T, isa>;

namespace {

// Part of a batch at the end of dense memory; the missing lanes are `rest`.
template <typename T>
vec<T> load_part(const T* at, int64_t count, T rest) {
  alignas(64) T lanes[vec<T>::size];
  vec<T>(rest).store_aligned(lanes);
  __builtin_memcpy(lanes, at, static_cast<size_t>(count) * sizeof(T));
  return vec<T>::load_aligned(lanes);
}

template <typename T>
void store_part(T* at, int64_t count, vec<T> value) {
  alignas(64) T lanes[vec<T>::size];
  value.store_aligned(lanes);
  __builtin_memcpy(at, lanes, static_cast<size_t>(count) * sizeof(T));
}

template <typename T>
T sum_of_lanes(vec<T> value) {
  alignas(64) T lanes[vec<T>::size];
  value.store_aligned(lanes);
  for (int width = vec<T>::size / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

}  // namespace
}  // namespace TOPBIT_ARCH
}  // namespace tb_cpu
