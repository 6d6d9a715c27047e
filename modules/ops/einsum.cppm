// Products over named or numbered dimensions.
export module topbit.ops:einsum;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// A product of tensors, summed over the dimensions that the result does not name. One letter for each dimension, the
/// same letter for dimensions that go together, "..." for those that broadcast: "bij,bjk->bik". Without an arrow the
/// result has the letters that stand once, in alphabetical order, behind the dots. Tensors are contracted in pairs,
/// left to right; another `path` is an error. Composite.
///
/// Errors   error for an equation that cannot be read or does not fit the number of tensors; shape_error for tensors
///          with other dimensions than the equation says, or sizes of one letter that differ, of which none is 1
inline constexpr op<"aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"> einsum;

/// The product summed over pairs of dimensions; the others stay in order, self's first. Composite.
inline constexpr op<"aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor">
    tensordot;
inline constexpr op<
    "aten::tensordot.out(Tensor self, Tensor other, int[] dims_self, int[] dims_other, *, Tensor(a!) out) -> "
    "Tensor(a!)">
    tensordot_out;

/// The product summed over the last dimension of both. Composite.
inline constexpr op<"aten::inner(Tensor self, Tensor other) -> Tensor"> inner;
inline constexpr op<"aten::inner.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> inner_out;

}  // namespace topbit::ops
