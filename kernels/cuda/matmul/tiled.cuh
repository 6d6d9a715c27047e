// Matrix products by this project's kernels: any strides, dtypes and epilogue, on any device.
#pragma once

#include "elementwise/elements.cuh"
#include "runtime/launch.cuh"

namespace tb_cuda {

// The type of products and sums; integers wrap.
template <typename E>
using sum_of = std::conditional_t<std::is_same_v<E, int64_t>, uint64_t, compute_of<E>>;

// Preconditions: the result has at least one element; dtypes and activation are supported.
tb_status multiply_in_tiles(const scope& on, const tb_matmul& p);
// Adds sums [parts][batch][m][n], which are in sum_of the dtype and without alpha, and applies the epilogue.
tb_status finish_sums(const scope& on, const tb_matmul& p, const void* sums, int64_t parts);
// Applies the activation to the result in place.
tb_status activate_result(const scope& on, const tb_matmul& p);

}  // namespace tb_cuda
