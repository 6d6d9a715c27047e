// Random fills and sampling by family. Each function takes the whole call; its plan has at least one element.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/launch.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {

// The Philox sequence of a call. A captured call uses other numbers in each replay, so the kernel reads seed and
// offset from device memory.
struct philox_stream {
  uint64_t seed, first, subsequence;
  const uint64_t* state;  // null, or seed and offset in device memory

  explicit philox_stream(const tb_random& call)
      : seed(call.seed), first(call.first), subsequence(call.subsequence), state(call.philox_state) {}
  __device__ philox_stream found() const {
    philox_stream now = *this;
    if (state != nullptr) {
      now.seed = state[0];
      now.first += state[1];
    }
    return now;
  }
};

// One number per element (random.cu).
tb_status draw_each(const tb_random& call, const scope& on);
// Permutations, multinomial sampling and checks (sampling.cu).
tb_status draw_many(const tb_random& call, const scope& on);

}  // namespace tb_cuda
