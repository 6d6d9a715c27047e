// Conversion of other layouts to strided tensors. The kernels are those of the layouts, in the modules that have them.
export module topbit.ops:create.to_dense;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The elements of self as a strided tensor; self, if it is one and of this dtype.
///
/// Shapes   self: [..] -> [..]
/// Dtypes   any; dtype, or self's
/// Gradient that of a sparse self is sparse with its pattern, or dense with masked_grad=False
/// Cost     one pass of stores; none for a strided self
inline constexpr op<"aten::to_dense(Tensor(a) self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor(a)">
    to_dense;

/// The same as a copy. The module of a layout has its kernel.
inline constexpr op<"aten::_to_dense(Tensor self, ScalarType? dtype=None, bool? masked_grad=None) -> Tensor"> _to_dense;

}  // namespace topbit::aten

export namespace topbit {

inline constexpr overloads<aten::to_dense> to_dense;

}  // namespace topbit
