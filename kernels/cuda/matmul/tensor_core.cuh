// Tensor-core instructions and the loads of their operands, as wrappers of PTX for sm_80 and later. All lanes of a
// warp call multiply_add(), load_matrices() and load_transposed() together.
//
// With group = lane / 4 and pair = lane % 4 * 2, a lane has columns pair and pair + 1 of a 16x8 accumulator: of row
// group in elements 0 and 1, of row group + 8 in elements 2 and 3.
#pragma once

#include "elementwise/elements.cuh"

#ifndef __CUDACC__
#  include "tensor_core.h"
#endif

namespace tb_cuda {

// A shared-memory address as PTX instructions take it.
#ifdef __CUDACC__
using shared_address = uint32_t;
__device__ inline shared_address address_of(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
#else
using shared_address = uintptr_t;
inline shared_address address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }
#endif

// Packs two elements into a register, the first in the low half.
template <typename E>
__device__ uint32_t pack(float first, float second) {
#ifdef __CUDACC__
  uint32_t two;
  if constexpr (std::is_same_v<E, half>) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(second), "f"(first));
  }
  return two;
#else
  return narrow<E>(first).bits | uint32_t(narrow<E>(second).bits) << 16;
#endif
}

// 2^x with an error of about 2 ulp; subnormal inputs and results are flushed to 0.
__device__ inline float power_of_two(float x) {
#ifdef __CUDACC__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}

// sum[16][8] += a[16][16] @ b[16][8]; a and b have elements E.
template <typename E>
__device__ void multiply_add(float (&sum)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef __CUDACC__
  if constexpr (std::is_same_v<E, half>) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
        "%2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#else
  cuda_emulation::multiply_fragments(sum, a, b, [](uint16_t bits) { return widen(E{bits}); });
#endif
}

// Loads four 8x8 matrices from shared memory (ldmatrix). Lane i passes the address of row i % 8 of matrix i / 8: 16
// bytes, aligned. Of each matrix a lane gets columns pair and pair + 1 of row group; with load_transposed, rows pair
// and pair + 1 of column group.
__device__ inline void load_matrices(uint32_t (&to)[4], shared_address row) {
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
#else
  cuda_emulation::load_fragments(to, reinterpret_cast<const void*>(row), false);
#endif
}
__device__ inline void load_transposed(uint32_t (&to)[4], shared_address row) {
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
#else
  cuda_emulation::load_fragments(to, reinterpret_cast<const void*>(row), true);
#endif
}

// Starts a copy of 16 aligned bytes into shared memory (cp.async). Only the first `bytes` are read, the rest is 0.
__device__ inline void copy_ahead(shared_address to, const void* from, int bytes) {
#ifdef __CUDACC__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(bytes)
               : "memory");
#else
  cuda_emulation::copy_chunk(reinterpret_cast<void*>(to), from, bytes);
#endif
}
// Waits for this thread's copies; their data is visible to this thread only.
__device__ inline void wait_for_copies() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

}  // namespace tb_cuda
