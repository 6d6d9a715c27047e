// Matrix products.
export module topbit.ops:linalg;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// self: [m, k], mat2: [k, n] -> [m, n]. float32 and float64; any strides without a copy.
///
/// Errors   shape_error if the inner sizes differ or an operand is no matrix; dtype_error if the dtypes differ
inline constexpr op<"aten::mm(Tensor self, Tensor mat2) -> Tensor"> mm;

/// Two matrices: mm. Composite; other ranks are a shape_error.
inline constexpr op<"aten::matmul(Tensor self, Tensor other) -> Tensor"> matmul;

}  // namespace topbit::ops
