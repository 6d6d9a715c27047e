// Random fills by family. Each takes the whole call; its plan has at least one element.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/launch.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {

// The numbers of a call. Those of a captured call are others in each replay, so the device looks up which.
struct stretch {
  uint64_t seed, first;
  const uint64_t* there;

  explicit stretch(const tb_random& call) : seed(call.seed), first(call.first), there(call.stretch) {}
  __device__ stretch found() const {
    stretch now = *this;
    if (there != nullptr) {
      now.seed = there[0];
      now.first += there[1];
    }
    return now;
  }
};

// One number per element: random.cu.
tb_status draw_each(const tb_random& call, const scope& on);
// Permutations and multinomial draws, which order or search, and the checks: draws.cu.
tb_status draw_many(const tb_random& call, const scope& on);

}  // namespace tb_cuda
