// The threads of a block, as fibers of one thread of the host.
//
// A thread runs until it waits: for its block, or for lanes of its warp. Blocks take their threads forwards and
// backwards in turn, so that a kernel which lacks a barrier computes something else every second block. A thread that
// ends while others wait for it, or threads that wait in two places, end the process with what they did.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

// The place of the thread that runs.
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_emulation {

extern unsigned char* dynamic_shared;

constexpr int warp = 32;
constexpr int widest_exchange = 16;

// Runs body(argument) for each thread of each block. False if one touched what is no memory: it and all others end
// there.
[[nodiscard]] bool run(dim3 grid, dim3 block, size_t shared_bytes, void (*body)(const void*), const void* argument);

void wait_for_block();
void wait_for_warp(unsigned mask);
bool block_any(bool mine);
unsigned ballot(unsigned mask, bool mine);
int lane();
// Puts bytes into this lane's slot, waits for the mask, and gets those of another lane.
void exchange_bytes(unsigned mask, void* bytes, size_t count, int from);

template <typename T>
T exchange(unsigned mask, T value, int from) {
  static_assert(sizeof(T) <= widest_exchange);
  exchange_bytes(mask, &value, sizeof value, from);
  return value;
}

}  // namespace cuda_emulation
