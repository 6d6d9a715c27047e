// Constructors. They check all that they are given: an invalid index is an error here, and none later.
//
// Index tensors are copied, values are shared. dtype and device convert the values, and move both. All throw
// shape_error for sizes that do not match and for indices that are out of range or out of order, dtype_error for
// indices that are no integers, device_error, and layout_error for parts that are not strided. Differentiable in
// values.
export module topbit.sparse:construct;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// An entry is a column of `indices` and a row of `values`. Entries at one place are added. `is_coalesced=True` says
/// that the columns strictly ascend in row-major order, which is checked; otherwise it is found out.
///
/// Shapes   indices: [s, n], values: [n, d...] or, with n = 1, [] -> size: [s sizes, d...]
/// Dtypes   indices: any integers, kept as int64; values: any
/// Errors   see above
/// Cost     reads the indices once; on devices other than the CPU it copies them to the host
inline constexpr op<
    "aten::sparse_coo_tensor.indices_size(Tensor indices, Tensor values, int[] size, *, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor">
    sparse_coo_tensor_indices_size;
/// With the least sizes that hold all indices; 0 without entries.
inline constexpr op<
    "aten::sparse_coo_tensor.indices(Tensor indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor">
    sparse_coo_tensor_indices;
/// Without entries; all dimensions are sparse.
inline constexpr op<
    "aten::sparse_coo_tensor.size(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=False) -> Tensor">
    sparse_coo_tensor_size;

/// A matrix by rows: the entries of row i are those from crow_indices[i] to crow_indices[i + 1]. Their columns strictly
/// ascend.
///
/// Shapes   crow_indices: [rows + 1], col_indices: [n], values: [n] -> size: [rows, columns]
/// Dtypes   indices: int32 or int64, both alike; values: any
/// Errors   see above
/// Cost     as sparse_coo_tensor
inline constexpr op<
    "aten::sparse_csr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, "
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor">
    sparse_csr_tensor_crow_col_value_size;
/// With the least number of columns that holds all indices.
inline constexpr op<
    "aten::sparse_csr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor">
    sparse_csr_tensor_crow_col_value;

/// A matrix by columns, as sparse_csr_tensor by rows.
inline constexpr op<
    "aten::sparse_csc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, "
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor">
    sparse_csc_tensor_ccol_row_value_size;
inline constexpr op<
    "aten::sparse_csc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? "
    "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor">
    sparse_csc_tensor_ccol_row_value;

/// One of both: `layout` is sparse_csr or sparse_csc, and has no default.
inline constexpr op<
    "aten::sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor "
    "values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=False) -> Tensor">
    sparse_compressed_tensor_comp_plain_value_size;
inline constexpr op<
    "aten::sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor values, "
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor">
    sparse_compressed_tensor_comp_plain_value;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::sparse_coo_tensor_indices_size, aten::sparse_coo_tensor_indices,
                           aten::sparse_coo_tensor_size>
    sparse_coo_tensor;
inline constexpr overloads<aten::sparse_csr_tensor_crow_col_value_size, aten::sparse_csr_tensor_crow_col_value>
    sparse_csr_tensor;
inline constexpr overloads<aten::sparse_csc_tensor_ccol_row_value_size, aten::sparse_csc_tensor_ccol_row_value>
    sparse_csc_tensor;
inline constexpr overloads<aten::sparse_compressed_tensor_comp_plain_value_size,
                           aten::sparse_compressed_tensor_comp_plain_value>
    sparse_compressed_tensor;

}  // namespace topbit
