// Reductions over one dimension or all of them.
export module topbit.ops:reduce;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// The sum of all elements, as a scalar tensor. bool and int64 sum into int64.
inline constexpr op<"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor"> sum;

/// The sum over the given dimensions (all of them for none given); the others stay, with keepdim also the summed ones
/// as 1.
///
/// A tensor without dimensions takes 0 and -1.
///
/// Errors   shape_error for a dimension out of range or given twice; dtype_error for dtype=bool
inline constexpr op<
    "aten::sum.dim_IntList(Tensor self, int[]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor">
    sum_dim;

/// sum / numel: composite. Integers need a floating dtype, else dtype_error.
inline constexpr op<"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor"> mean;

/// The index of the greatest element, the first of equals; over all elements without a dimension. int64.
///
/// Errors   shape_error for an empty dimension
inline constexpr op<"aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"> argmax;

}  // namespace topbit::ops
