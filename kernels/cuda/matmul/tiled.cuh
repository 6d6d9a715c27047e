// Products of matrices by kernels of this project: every stride, dtype and ending, on any device.
#pragma once

#include "elementwise/elements.cuh"
#include "runtime/launch.cuh"

namespace tb_cuda {

// What elements are multiplied and summed in; integers wrap.
template <typename E>
using sum_of = std::conditional_t<std::is_same_v<E, int64_t>, uint64_t, compute_of<E>>;

// These take a call with at least one element in its result, of dtypes and an activation that were looked at.
tb_status multiply_in_tiles(const scope& on, const tb_matmul& p);
// The result, from sums [parts][batch][m][n] of products without alpha, in sum_of the dtype.
tb_status finish_sums(const scope& on, const tb_matmul& p, const void* sums, int64_t parts);
// The activation of what the result holds.
tb_status activate_result(const scope& on, const tb_matmul& p);

}  // namespace tb_cuda
