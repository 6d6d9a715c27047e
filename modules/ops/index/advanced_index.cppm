// Indexing with tensors: masks, lists of coordinates, and coordinates themselves.
export module topbit.ops:index.advanced_index;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// One index tensor for each dimension, or none for the whole dimension; missing ones at the end are none. Integers
/// broadcast with each other and count from the end where negative; a mask, bool or uint8, stands for the coordinates
/// of its nonzero elements. The dimensions of the indices replace the first indexed dimension, or come first if whole
/// dimensions are between them.
///
/// Errors   shape_error for too many indices, for mismatched sizes, and for an index out of range; dtype_error for
/// other
///          dtypes; on meta, error for a mask
inline constexpr op<"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor"> index_Tensor;
inline constexpr op<"aten::index.Tensor_out(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)">
    index_Tensor_out;

/// self with values, which broadcast to the indexed elements, written there, or added with accumulate; of equal
/// coordinates the last one wins. One dtype.
inline constexpr op<"aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor">
    index_put;
inline constexpr op<
    "aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)">
    index_put_;

/// self if the mask, which broadcasts with it, is False, else the value converted to self's dtype.
inline constexpr op<"aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor"> masked_fill_Scalar;
inline constexpr op<"aten::masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)">
    masked_fill_Scalar_;

/// The same with a zero-dimensional tensor as the value.
inline constexpr op<"aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor"> masked_fill_Tensor;
inline constexpr op<"aten::masked_fill_.Tensor(Tensor(a!) self, Tensor mask, Tensor value) -> Tensor(a!)">
    masked_fill_Tensor_;

/// The elements of self, broadcast with the mask, where that is True, in one dimension. Refused on meta.
inline constexpr op<"aten::masked_select(Tensor self, Tensor mask) -> Tensor"> masked_select;
inline constexpr op<"aten::masked_select.out(Tensor self, Tensor mask, *, Tensor(a!) out) -> Tensor(a!)">
    masked_select_out;

/// self with the elements of source, in order, where the mask, which broadcasts with it, is True. One dtype.
///
/// Errors   shape_error for a source with too few elements
inline constexpr op<"aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor"> masked_scatter;
inline constexpr op<"aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)"> masked_scatter_;

/// The coordinates of elements that are not 0, in row-major order: int64 [count, dimensions]. Refused on meta.
inline constexpr op<"aten::nonzero(Tensor self) -> Tensor"> nonzero;
inline constexpr op<"aten::nonzero.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> nonzero_out;
/// nonzero. Composite.
inline constexpr op<"aten::argwhere(Tensor self) -> Tensor"> argwhere;

/// 1 at each label, 0 elsewhere, in a new last dimension: int64. Without num_classes as many as the greatest label
/// needs.
inline constexpr op<"aten::one_hot(Tensor self, int num_classes=-1) -> Tensor"> one_hot;

/// The count of each integer from 0 up, of at least minlength integers; with weights, their sums. Refused on meta.
inline constexpr op<"aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor"> bincount;

/// The number of elements in each of `bins` equal parts of [min, max], or of the range of self if these are equal. The
/// last part includes max; elements outside are not counted. float32 and float64.
inline constexpr op<"aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor"> histc;
inline constexpr op<
    "aten::histc.out(Tensor self, int bins=100, Scalar min=0, Scalar max=0, *, Tensor(a!) out) -> Tensor(a!)">
    histc_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::index_put> index_put;
inline constexpr overloads<aten::index_put_> index_put_;
inline constexpr overloads<aten::masked_fill_Scalar, aten::masked_fill_Tensor> masked_fill;
inline constexpr overloads<aten::masked_fill_Scalar_, aten::masked_fill_Tensor_> masked_fill_;
inline constexpr overloads<aten::masked_select, aten::masked_select_out> masked_select;
inline constexpr overloads<aten::masked_scatter> masked_scatter;
inline constexpr overloads<aten::masked_scatter_> masked_scatter_;
inline constexpr overloads<aten::nonzero, aten::nonzero_out> nonzero;
inline constexpr overloads<aten::argwhere> argwhere;
inline constexpr overloads<aten::one_hot> one_hot;
inline constexpr overloads<aten::bincount> bincount;
inline constexpr overloads<aten::histc, aten::histc_out> histc;

}  // namespace topbit
