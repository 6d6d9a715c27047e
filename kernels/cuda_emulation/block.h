// Emulates the threads of a block as fibers of one host thread.
//
// A thread runs until it waits for its block or for lanes of its warp. The order of threads alternates between
// forwards and backwards from block to block, so that a kernel with a missing barrier gives wrong results in every
// second block. A thread that ends while others wait for it, or threads that wait at different barriers, abort the
// process with a message.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// Indices of the running thread.
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_emulation {

extern unsigned char* dynamic_shared;

constexpr int warp = 32;
constexpr int widest_exchange = 16;

// Runs body(argument) for each thread of each block. Returns false, and stops all threads, if one touched invalid
// memory.
[[nodiscard]] bool run(dim3 grid, dim3 block, size_t shared_bytes, void (*body)(const void*), const void* argument);

void wait_for_block();
void wait_for_warp(unsigned mask);
bool block_any(bool mine);
unsigned ballot(unsigned mask, bool mine);
int lane();
// Writes bytes to this lane's slot, waits for the lanes of the mask, and reads the slot of lane `from`.
void exchange_bytes(unsigned mask, void* bytes, size_t count, int from);

template <typename T>
T exchange(unsigned mask, T value, int from) {
  static_assert(sizeof(T) <= widest_exchange);
  exchange_bytes(mask, &value, sizeof value, from);
  return value;
}

}  // namespace cuda_emulation
