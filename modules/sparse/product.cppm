// Products with sparse matrices: mm, mv, addmm, bmm, linear and matmul of topbit.ops take them, and what is defined
// here.
//
// A product with a strided matrix is strided. That of two sparse matrices has the layout of the first, whatever that of
// the second is, and an entry wherever entries of both meet, if they cancel too. An element of a strided operand that
// meets unspecified zeros alone does not reach the result, not even as NaN.
export module topbit.sparse:product;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// beta * self + alpha * (mat1 @ mat2) at the places of self, which alone are computed. self is not read if beta is 0.
/// Composite.
///
/// Shapes   self: sparse [n, m], mat1: strided [n, k], mat2: strided [k, m] -> as self, coalesced
/// Dtypes   floating, one for all
inline constexpr op<
    "aten::sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor">
    sparse_sampled_addmm;
inline constexpr op<
    "aten::sparse_sampled_addmm.out(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, "
    "Tensor(a!) out) -> Tensor(a!)">
    sparse_sampled_addmm_out;

/// The elements of self at the places of mask, 0 where self has none. Entries of a mask at one place get the same
/// value each. Differentiable in self. Composite.
///
/// Shapes   self: strided or sparse [..], mask: sparse [..] -> as mask
/// Dtypes   any; that of self
inline constexpr op<"aten::sparse_mask(Tensor self, Tensor mask) -> Tensor"> sparse_mask;

}  // namespace topbit::aten

export namespace topbit::sparse {

// Products with the parts of a CSR matrix: `compressed` [n + 1], `plain` and `values` [entries]. Anybody can call them,
// so all arguments are checked, elements of index tensors too: that reads the indices once more, and on devices other
// than the CPU copies them to the host. The kernels of the layouts have indices that were checked before. Each is the
// gradient of the other, so they are differentiable as often as wanted.

/// The product with strided dense [m, k]: [n, k].
inline constexpr op<"topbit::_spmm(Tensor compressed, Tensor plain, Tensor values, Tensor dense) -> Tensor"> spmm_op;
/// For each entry the product of its row of left [n, k] and, by its column, a row of right [m, k]: [entries].
inline constexpr op<"topbit::_sddmm(Tensor compressed, Tensor plain, Tensor left, Tensor right) -> Tensor"> sddmm_op;

/// The product with another sparse matrix of `columns` columns, by the parts of both: those of the result, with an
/// entry wherever entries of both meet.
inline constexpr op<
    "topbit::_spgemm(Tensor compressed, Tensor plain, Tensor values, Tensor other_compressed, Tensor other_plain, "
    "Tensor other_values, int columns) -> (Tensor compressed, Tensor plain, Tensor values)">
    spgemm_op;
/// The elements of left @ right^T, two sparse matrices of `columns` columns, at the entries of the pattern: [entries].
inline constexpr op<
    "topbit::_masked_spgemm(Tensor compressed, Tensor plain, Tensor left_compressed, Tensor left_plain, Tensor left, "
    "Tensor right_compressed, Tensor right_plain, Tensor right, int columns) -> Tensor">
    masked_spgemm_op;

/// The product reduced by "mean", "amax" or "amin"; and, of the latter two, the entry that each element comes from, -1
/// if none: int64 [n, k].
inline constexpr op<
    "topbit::_spmm_reduce(Tensor compressed, Tensor plain, Tensor values, Tensor dense, str reduce) -> (Tensor result, "
    "Tensor entries)">
    spmm_reduce_op;

}  // namespace topbit::sparse

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::sparse_sampled_addmm, aten::sparse_sampled_addmm_out> sampled_addmm;
inline constexpr overloads<aten::sparse_mask> sparse_mask;

/// self @ other, where the products of the entries of a row are reduced by "sum", "mean", "amax" or "amin". Rows
/// without entries give 0. The gradient of an extreme is that of the first entry that has it. Composite.
///
/// Shapes   self: sparse [n, m], other: strided [m, k] -> strided [n, k]
/// Dtypes   floating, one for both
inline constexpr op<"topbit::mm_reduce(Tensor self, Tensor other, str reduce) -> Tensor"> mm_reduce;

}  // namespace topbit
