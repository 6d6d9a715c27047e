// Products over named or numbered dimensions.
export module topbit.ops:linalg.einsum;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// A product of tensors, summed over the dimensions that the result does not name. One letter for each dimension, the
/// same letter for contracted dimensions, "..." for broadcast ones: "bij,bjk->bik". Without an arrow the result has the
/// letters that occur once, in alphabetical order, after the ellipsis. Tensors are contracted in pairs, left to right;
/// another `path` is an error. Composite.
///
/// Errors   error for an invalid equation or another number of tensors; shape_error for tensors with other dimensions
///          than the equation, or different sizes of one letter, none of which is 1
inline constexpr op<"aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor"> einsum;

/// The product summed over pairs of dimensions; the others keep their order, self's first. Composite.
inline constexpr op<"aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor">
    tensordot;
inline constexpr op<
    "aten::tensordot.out(Tensor self, Tensor other, int[] dims_self, int[] dims_other, *, Tensor(a!) out) -> "
    "Tensor(a!)">
    tensordot_out;

/// The product summed over the last dimension of both. Composite.
inline constexpr op<"aten::inner(Tensor self, Tensor other) -> Tensor"> inner;
inline constexpr op<"aten::inner.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> inner_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::einsum> einsum;
inline constexpr overloads<aten::tensordot, aten::tensordot_out> tensordot;
inline constexpr overloads<aten::inner, aten::inner_out> inner;

}  // namespace topbit
