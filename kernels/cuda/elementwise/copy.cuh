// Vectorized dtype conversions of contiguous elements, for copy.cu.
#pragma once

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/launch.cuh"

namespace tb_cuda {

struct dense_call {
  void* to;
  const void* from;
  int64_t count;
};
using convert_kernel = void (*)(dense_call);

// Null if the data is not aligned to vectors.
convert_kernel dense_conversion(int32_t to_dtype, int32_t from_dtype, const void* to, const void* from);
unsigned conversion_blocks(int32_t to_dtype, int32_t from_dtype, int64_t count);

}  // namespace tb_cuda
