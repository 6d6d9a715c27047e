// Concatenation, repetition, flips and rotations.
export module topbit.ops:join.join;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// Concatenates tensors along a dimension, promoted; other sizes must agree. An empty one-dimensional tensor is always
/// accepted.
inline constexpr op<"aten::cat(Tensor[] tensors, int dim=0) -> Tensor"> cat;
inline constexpr op<"aten::cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"> cat_out;

/// Tensors of equal sizes along a new dimension. Composites over cat.
inline constexpr op<"aten::stack(Tensor[] tensors, int dim=0) -> Tensor"> stack;
inline constexpr op<"aten::stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"> stack_out;

/// cat along the second dimension, of vectors along the first. Composite.
inline constexpr op<"aten::hstack(Tensor[] tensors) -> Tensor"> hstack;
inline constexpr op<"aten::hstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)"> hstack_out;

/// cat of tensors of at least two dimensions along the first. Composite.
inline constexpr op<"aten::vstack(Tensor[] tensors) -> Tensor"> vstack;
inline constexpr op<"aten::vstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)"> vstack_out;

/// cat of tensors of at least three dimensions along the third. Composite.
inline constexpr op<"aten::dstack(Tensor[] tensors) -> Tensor"> dstack;
inline constexpr op<"aten::dstack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)"> dstack_out;

/// cat along the second dimension, with vectors and numbers as columns. Composite.
inline constexpr op<"aten::column_stack(Tensor[] tensors) -> Tensor"> column_stack;
inline constexpr op<"aten::column_stack.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)"> column_stack_out;

/// Repeats self along each dimension; more numbers than dimensions add leading ones.
inline constexpr op<"aten::repeat(Tensor self, SymInt[] repeats) -> Tensor"> repeat;

/// repeat, with 1 for missing leading numbers. Composite.
inline constexpr op<"aten::tile(Tensor self, int[] dims) -> Tensor"> tile;

/// Repeats each slice of a dimension consecutively; without a dimension, each element. Composite.
inline constexpr op<
    "aten::repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor">
    repeat_interleave_self_int;

/// The indices 0, 1, ..., each repeated as given by `repeats`, int64 or int32. On meta output_size must be given.
inline constexpr op<"aten::repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None) -> Tensor">
    repeat_interleave_Tensor;

/// Repeats each slice of a dimension as given by repeats, one number for all, or one for each. Composite.
inline constexpr op<
    "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> "
    "Tensor">
    repeat_interleave_self_Tensor;

/// The order of some dimensions reversed: a copy.
inline constexpr op<"aten::flip(Tensor self, int[] dims) -> Tensor"> flip;

/// Shifts elements cyclically along dimensions; without dims in row-major order. Composite.
inline constexpr op<"aten::roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor"> roll;

/// Rotated by k times 90 degrees in the plane of two dimensions. Composite.
inline constexpr op<"aten::rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor"> rot90;

/// Matrices with 0 above a diagonal, counted from the main one upwards.
inline constexpr op<"aten::tril(Tensor self, int diagonal=0) -> Tensor"> tril;
inline constexpr op<"aten::tril_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)"> tril_;
inline constexpr op<"aten::tril.out(Tensor self, int diagonal=0, *, Tensor(a!) out) -> Tensor(a!)"> tril_out;

/// Matrices with 0 below a diagonal.
inline constexpr op<"aten::triu(Tensor self, int diagonal=0) -> Tensor"> triu;
inline constexpr op<"aten::triu_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)"> triu_;
inline constexpr op<"aten::triu.out(Tensor self, int diagonal=0, *, Tensor(a!) out) -> Tensor(a!)"> triu_out;

/// A vector as the diagonal of a matrix of zeros, or the diagonal of a matrix as a vector: a copy.
inline constexpr op<"aten::diag(Tensor self, int diagonal=0) -> Tensor"> diag;
inline constexpr op<"aten::diag.out(Tensor self, int diagonal=0, *, Tensor(a!) out) -> Tensor(a!)"> diag_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::cat, aten::cat_out> cat;
inline constexpr overloads<aten::hstack, aten::hstack_out> hstack;
inline constexpr overloads<aten::vstack, aten::vstack_out> vstack;
inline constexpr overloads<aten::dstack, aten::dstack_out> dstack;
inline constexpr overloads<aten::column_stack, aten::column_stack_out> column_stack;
inline constexpr overloads<aten::repeat> repeat;
inline constexpr overloads<aten::tile> tile;
inline constexpr overloads<aten::repeat_interleave_self_int, aten::repeat_interleave_Tensor,
                           aten::repeat_interleave_self_Tensor>
    repeat_interleave;
inline constexpr overloads<aten::flip> flip;
inline constexpr overloads<aten::roll> roll;
inline constexpr overloads<aten::rot90> rot90;
inline constexpr overloads<aten::tril, aten::tril_out> tril;
inline constexpr overloads<aten::tril_> tril_;
inline constexpr overloads<aten::triu, aten::triu_out> triu;
inline constexpr overloads<aten::triu_> triu_;
inline constexpr overloads<aten::diag, aten::diag_out> diag;
inline constexpr overloads<aten::stack, aten::stack_out> stack;

}  // namespace topbit
