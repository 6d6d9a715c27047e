// Sorts of integer keys with their values, in place and stable.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

tb_status sort_pairs(const scope& on, uint32_t* keys, uint32_t* values, int64_t count);
tb_status sort_pairs(const scope& on, uint64_t* keys, uint32_t* values, int64_t count);
tb_status sort_pairs(const scope& on, uint64_t* keys, uint64_t* values, int64_t count);

}  // namespace tb_cuda
