// Tensor cores, and what brings operands to them: PTX for sm_80 and later, in names of this project. All lanes of a
// warp call multiply_add() and load_matrices() together.
//
// The lane with group = lane / 4 and pair = lane % 4 * 2 has of a 16x8 sum the columns pair and pair + 1 of the rows
// group (0, 1) and group + 8 (2, 3).
#pragma once

#include "elementwise/elements.cuh"

#ifndef __CUDACC__
#  include "tensor_core.h"
#endif

namespace tb_cuda {

// Memory that the block shares, as the instructions name it.
#ifdef __CUDACC__
using shared_address = uint32_t;
__device__ inline shared_address address_of(const void* p) { return uint32_t(__cvta_generic_to_shared(p)); }
#else
using shared_address = uintptr_t;
inline shared_address address_of(const void* p) { return reinterpret_cast<uintptr_t>(p); }
#endif

// Two elements in a register, the first one low.
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

// 2 to the power of x, to some 2 units in the last place; what is no normal number counts as 0.
__device__ inline float power_of_two(float x) {
#ifdef __CUDACC__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}

// sum[16][8] += a[16][16] @ b[16][8], of elements E.
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

// Four 8x8 matrices from shared memory; lane i names the row i % 8 of matrix i / 8, 16 aligned bytes. Of each, a lane
// gets the columns pair and pair + 1 of the row group; transposed, the rows pair and pair + 1 of the column group.
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

// Starts to copy 16 aligned bytes into shared memory; of these the first `bytes` are read, the others are zeros.
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
// Until all that this thread started is there, for this thread.
__device__ inline void wait_for_copies() {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

}  // namespace tb_cuda
