// Emulates PTX's mma.m16n8k16 and ldmatrix for 16-bit elements, with the fragment layouts of the PTX ISA. All 32
// lanes call these functions together.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"

namespace cuda_emulation {

// Shares a value of each lane with the warp until the next wait.
template <typename T>
const T* shown_to_warp(const T& mine) {
  static T all[1024 / warp][warp];
  T* const here = all[(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / warp];
  here[lane()] = mine;
  wait_for_warp(0xffffffff);
  return here;
}

inline void want_16_bytes(const void* p, const char* who) {
  if (reinterpret_cast<uintptr_t>(p) % 16 == 0) return;
  fprintf(stderr, "a kernel emulated on the host: %s is given an address that is not aligned to 16 bytes\n", who);
  abort();
}

struct operand_fragments {
  uint32_t a[4], b[2];
};

// sum[16][8] += a[16][16] @ b[16][8]; value_of(bits) converts an element to float.
template <typename Value>
void multiply_fragments(float (&sum)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], Value value_of) {
  const operand_fragments* const lanes = shown_to_warp<operand_fragments>({{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
  const auto element = [&](uint32_t two, int i) { return value_of(uint16_t(i == 0 ? two : two >> 16)); };
  for (int i = 0; i < 4; ++i) {
    const int row = lane() / 4 + i / 2 * 8, col = lane() % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k) {
      const float left = element(lanes[row % 8 * 4 + k % 8 / 2].a[row / 8 + k / 8 * 2], k % 2);
      const float right = element(lanes[col * 4 + k % 8 / 2].b[k / 8], k % 2);
      sum[i] += left * right;
    }
  }
  wait_for_warp(0xffffffff);
}

// Four matrices of 8 rows of 16 bytes. Lane i passes the address of row i % 8 of matrix i / 8.
inline void load_fragments(uint32_t (&to)[4], const void* row, bool transposed) {
  want_16_bytes(row, "ldmatrix");
  const void* const* const rows = shown_to_warp<const void*>(row);
  for (int m = 0; m < 4; ++m) {
    uint16_t two[2];
    for (int i = 0; i < 2; ++i) {
      const int r = transposed ? lane() % 4 * 2 + i : lane() / 4, c = transposed ? lane() / 4 : lane() % 4 * 2 + i;
      two[i] = static_cast<const uint16_t*>(rows[m * 8 + r])[c];
    }
    to[m] = two[0] | uint32_t(two[1]) << 16;
  }
  wait_for_warp(0xffffffff);
}

// Copies the first `bytes` of 16 bytes and zero-fills the others.
inline void copy_chunk(void* to, const void* from, int bytes) {
  want_16_bytes(to, "cp.async");
  want_16_bytes(from, "cp.async");
  memset(to, 0, 16);
  memcpy(to, from, size_t(bytes));
}

}  // namespace cuda_emulation
