// Conversions between layouts, and the operators between a sparse tensor and its parts. to_dense is in topbit.ops.
//
// Explicit zeros stay entries, unless the conversion starts from a strided tensor. All are differentiable; the gradient
// of a sparse tensor has its pattern.
export module topbit.sparse:convert;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The same tensor with each place once, in row-major order; self if it is coalesced. Duplicates are added in order of
/// appearance, float16 and bfloat16 in float32 and rounded once; of bool, `or`. Composite.
inline constexpr op<"aten::coalesce(Tensor(a) self) -> Tensor(a)"> coalesce;
/// The same as a new tensor.
///
/// Cost     a sort of the indices
inline constexpr op<"aten::_coalesce(Tensor self) -> Tensor"> _coalesce;

/// A COO tensor of the elements that are not zero; NaN is not. The first sparse_dim dimensions are sparse: an entry is
/// stored where an element of its dense dimensions is not zero. Coalesced. A sparse self keeps its entries. Composite.
inline constexpr op<"aten::to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor"> to_sparse_sparse_dim;
/// The same with all but dense_dim dimensions sparse, or a matrix of another layout, sparse_csr or sparse_csc.
/// Composite.
inline constexpr op<
    "aten::to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor">
    to_sparse;
/// A matrix in CSR format: of the elements that are not zero, or of the entries of a sparse self. dense_dim must be 0.
/// Composite.
inline constexpr op<"aten::to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor"> to_sparse_csr;
inline constexpr op<"aten::to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor"> to_sparse_csc;

}  // namespace topbit::aten

export namespace topbit::sparse {

// What coo_of(), compressed_of() and values_of() of :parts call. Called by anybody else, they check their arguments as
// the constructors do, but share the index tensors, which cannot be written to afterwards.

inline constexpr op<"topbit::_coo(Tensor indices, Tensor values, int[] size, bool coalesced) -> Tensor"> coo_op;
inline constexpr op<
    "topbit::_compressed(Tensor compressed, Tensor plain, Tensor values, int[] size, Layout layout) -> Tensor">
    compressed_op;
inline constexpr op<"topbit::_sparse_values(Tensor self) -> Tensor"> values_op;

}  // namespace topbit::sparse

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::coalesce> coalesce;
inline constexpr overloads<aten::to_sparse, aten::to_sparse_sparse_dim> to_sparse;
inline constexpr overloads<aten::to_sparse_csr> to_sparse_csr;
inline constexpr overloads<aten::to_sparse_csc> to_sparse_csc;

/// The tensor without the entries all of whose values are zero; coalesced. Composite.
inline constexpr op<"topbit::drop_zeros(Tensor self) -> Tensor"> drop_zeros;

}  // namespace topbit
