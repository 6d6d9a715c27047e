// Random fills by family. Each takes the whole call; its plan has at least one element.
#pragma once

#include "elements.cuh"
#include "launch.cuh"
#include "offsets.cuh"
#include "report.cuh"

namespace tb_cuda {

// One number per element: random.cu.
tb_status draw_each(const tb_random& call, const scope& on);
// Permutations and multinomial draws, which order or search, and the checks: draws.cu.
tb_status draw_many(const tb_random& call, const scope& on);

}  // namespace tb_cuda
