// What a sparse tensor consists of. All throw layout_error for a tensor of another layout.
//
// Index tensors cannot be written to. A write to values changes the sparse tensor, which autograd does not notice;
// operators with _ at the end are noticed.
export module topbit.sparse:access;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// Whether the entries of a COO tensor are in row-major order, each place once.
inline constexpr op<"aten::is_coalesced(Tensor self) -> bool"> is_coalesced;
/// The number of entries, those at one place and zeros included.
inline constexpr op<"aten::_nnz(Tensor self) -> int"> _nnz;
/// The number of leading dimensions that indices are stored for, and of the others. 2 and 0 for CSR and CSC.
inline constexpr op<"aten::sparse_dim(Tensor self) -> int"> sparse_dim;
inline constexpr op<"aten::dense_dim(Tensor self) -> int"> dense_dim;

/// int64 [sparse_dim, nnz]. Throws error unless self is coalesced.
inline constexpr op<"aten::indices(Tensor(a) self) -> Tensor(a)"> indices;
/// [nnz, dense sizes...]. Throws error for a COO tensor that is not coalesced. The gradient is sparse with the pattern
/// of self.
inline constexpr op<"aten::values(Tensor(a) self) -> Tensor(a)"> values;
/// The same of any COO tensor, without history.
inline constexpr op<"aten::_indices(Tensor(a) self) -> Tensor(a)"> _indices;
inline constexpr op<"aten::_values(Tensor(a) self) -> Tensor(a)"> _values;

/// Of a CSR matrix: where each row begins, and the columns.
inline constexpr op<"aten::crow_indices(Tensor(a) self) -> Tensor(a)"> crow_indices;
inline constexpr op<"aten::col_indices(Tensor(a) self) -> Tensor(a)"> col_indices;
/// Of a CSC matrix: where each column begins, and the rows.
inline constexpr op<"aten::ccol_indices(Tensor(a) self) -> Tensor(a)"> ccol_indices;
inline constexpr op<"aten::row_indices(Tensor(a) self) -> Tensor(a)"> row_indices;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::is_coalesced> is_coalesced;
inline constexpr overloads<aten::_nnz> nnz;
inline constexpr overloads<aten::sparse_dim> sparse_dim;
inline constexpr overloads<aten::dense_dim> dense_dim;
inline constexpr overloads<aten::indices> indices;
inline constexpr overloads<aten::values> values;
inline constexpr overloads<aten::_indices> _indices;
inline constexpr overloads<aten::_values> _values;
inline constexpr overloads<aten::crow_indices> crow_indices;
inline constexpr overloads<aten::col_indices> col_indices;
inline constexpr overloads<aten::ccol_indices> ccol_indices;
inline constexpr overloads<aten::row_indices> row_indices;

}  // namespace topbit
