// Gather and scatter: elements read and written by an index along a dimension. Indices are int64, from 0 to the size
// less 1; one out of range is a shape_error before anything is written.
export module topbit.ops:index.gather;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// out[..][i][..] = self[..][index[..][i][..]][..], with the sizes of index, which are at most self's in other
/// dimensions.
inline constexpr op<"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor"> gather;
inline constexpr op<
    "aten::gather.out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!) out) -> Tensor(a!)">
    gather_out;

/// self with src[..][i][..] written at index[..][i][..] along dim; of equal indices the last one wins. One dtype.
inline constexpr op<"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"> scatter_src;
inline constexpr op<"aten::scatter_.src(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)">
    scatter_src_;
inline constexpr op<
    "aten::scatter.src_out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)">
    scatter_src_out;

/// The same with one value.
inline constexpr op<"aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"> scatter_value;
inline constexpr op<"aten::scatter_.value(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)">
    scatter_value_;
inline constexpr op<
    "aten::scatter.value_out(Tensor self, int dim, Tensor index, Scalar value, *, Tensor(a!) out) -> Tensor(a!)">
    scatter_value_out;

/// As scatter, but added; logical or for bool.
inline constexpr op<"aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"> scatter_add;
inline constexpr op<"aten::scatter_add_(Tensor(a!) self, int dim, Tensor index, Tensor src) -> Tensor(a!)">
    scatter_add_;
inline constexpr op<
    "aten::scatter_add.out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)">
    scatter_add_out;

/// As scatter, but added with "add", and multiplied with "multiply".
inline constexpr op<"aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor">
    scatter_reduce;
inline constexpr op<
    "aten::scatter_.reduce(Tensor(a!) self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor(a!)">
    scatter_reduce_;
inline constexpr op<
    "aten::scatter.reduce_out(Tensor self, int dim, Tensor index, Tensor src, *, str reduce, Tensor(a!) out) -> "
    "Tensor(a!)">
    scatter_reduce_out;
inline constexpr op<
    "aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor">
    scatter_value_reduce;
inline constexpr op<
    "aten::scatter_.value_reduce(Tensor(a!) self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor(a!)">
    scatter_value_reduce_;
inline constexpr op<
    "aten::scatter.value_reduce_out(Tensor self, int dim, Tensor index, Scalar value, *, str reduce, Tensor(a!) out) "
    "-> Tensor(a!)">
    scatter_value_reduce_out;

/// Elements of src with the same destination are reduced by "sum", "prod", "mean", "amax" or "amin", in which NaN
/// propagates; the old element is included with include_self. The mean of integers is rounded down.
inline constexpr op<
    "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) "
    "-> Tensor">
    scatter_reduce_two;
inline constexpr op<
    "aten::scatter_reduce_.two(Tensor(a!) self, int dim, Tensor index, Tensor src, str reduce, *, bool "
    "include_self=True) -> Tensor(a!)">
    scatter_reduce_two_;
inline constexpr op<
    "aten::scatter_reduce.two_out(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
    "include_self=True, Tensor(a!) out) -> Tensor(a!)">
    scatter_reduce_two_out;

/// gather with an index that broadcasts with self, except in dim; without dim, of all elements in row-major order.
/// Composite.
inline constexpr op<"aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor"> take_along_dim;
inline constexpr op<
    "aten::take_along_dim.out(Tensor self, Tensor indices, int? dim=None, *, Tensor(a!) out) -> Tensor(a!)">
    take_along_dim_out;

/// The slices of a dimension selected by a list of indices, int64 or int32.
inline constexpr op<"aten::index_select(Tensor self, int dim, Tensor index) -> Tensor"> index_select;
inline constexpr op<"aten::index_select.out(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)">
    index_select_out;

/// self with alpha * source[i] added to the slice index[i] of a dimension, for each i.
inline constexpr op<"aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor">
    index_add;
inline constexpr op<
    "aten::index_add_(Tensor(a!) self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor(a!)">
    index_add_;
inline constexpr op<
    "aten::index_add.out(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1, Tensor(a!) out) -> "
    "Tensor(a!)">
    index_add_out;

/// self with source[i] copied to the slice index[i] of a dimension, the last of equal indices.
inline constexpr op<"aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor"> index_copy;
inline constexpr op<"aten::index_copy_(Tensor(a!) self, int dim, Tensor index, Tensor source) -> Tensor(a!)">
    index_copy_;
inline constexpr op<
    "aten::index_copy.out(Tensor self, int dim, Tensor index, Tensor source, *, Tensor(a!) out) -> Tensor(a!)">
    index_copy_out;

/// scatter_reduce with slices of a dimension: source[i] goes to the slice index[i]; "prod", "mean", "amax" or "amin".
inline constexpr op<
    "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> "
    "Tensor">
    index_reduce;
inline constexpr op<
    "aten::index_reduce_(Tensor(a!) self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
    "-> Tensor(a!)">
    index_reduce_;
inline constexpr op<
    "aten::index_reduce.out(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True, "
    "Tensor(a!) out) -> Tensor(a!)">
    index_reduce_out;

/// self with one value in the slices of a dimension; negative ones count from the end. Composites over index_copy.
inline constexpr op<"aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor">
    index_fill_int_Scalar;
inline constexpr op<"aten::index_fill_.int_Scalar(Tensor(a!) self, int dim, Tensor index, Scalar value) -> Tensor(a!)">
    index_fill_int_Scalar_;
inline constexpr op<"aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor">
    index_fill_int_Tensor;
inline constexpr op<"aten::index_fill_.int_Tensor(Tensor(a!) self, int dim, Tensor index, Tensor value) -> Tensor(a!)">
    index_fill_int_Tensor_;

/// Elements by their row-major index; negative ones count from the end. The result has the sizes of index.
inline constexpr op<"aten::take(Tensor self, Tensor index) -> Tensor"> take;
inline constexpr op<"aten::take.out(Tensor self, Tensor index, *, Tensor(a!) out) -> Tensor(a!)"> take_out;

/// Rows of a matrix by index: the sizes of index, then the columns. The other arguments affect gradients only.
inline constexpr op<
    "aten::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool "
    "sparse=False) -> Tensor">
    embedding;

/// The gradient of embedding for its matrix: rows of grad_output summed by index, except padding_idx; divided by the
/// count of the index with scale_grad_by_freq.
inline constexpr op<
    "aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, int padding_idx, bool "
    "scale_grad_by_freq) -> Tensor">
    embedding_dense_backward;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::gather, aten::gather_out> gather;
inline constexpr overloads<aten::scatter_src, aten::scatter_src_out, aten::scatter_value, aten::scatter_value_out,
                           aten::scatter_reduce, aten::scatter_reduce_out, aten::scatter_value_reduce,
                           aten::scatter_value_reduce_out>
    scatter;
inline constexpr overloads<aten::scatter_src_, aten::scatter_value_, aten::scatter_reduce_, aten::scatter_value_reduce_>
    scatter_;
inline constexpr overloads<aten::scatter_add, aten::scatter_add_out> scatter_add;
inline constexpr overloads<aten::scatter_add_> scatter_add_;
inline constexpr overloads<aten::scatter_reduce_two, aten::scatter_reduce_two_out> scatter_reduce;
inline constexpr overloads<aten::scatter_reduce_two_> scatter_reduce_;
inline constexpr overloads<aten::take_along_dim, aten::take_along_dim_out> take_along_dim;
inline constexpr overloads<aten::index_select, aten::index_select_out> index_select;
inline constexpr overloads<aten::index_add, aten::index_add_out> index_add;
inline constexpr overloads<aten::index_add_> index_add_;
inline constexpr overloads<aten::index_copy, aten::index_copy_out> index_copy;
inline constexpr overloads<aten::index_copy_> index_copy_;
inline constexpr overloads<aten::index_reduce, aten::index_reduce_out> index_reduce;
inline constexpr overloads<aten::index_reduce_> index_reduce_;
inline constexpr overloads<aten::index_fill_int_Scalar, aten::index_fill_int_Tensor> index_fill;
inline constexpr overloads<aten::index_fill_int_Scalar_, aten::index_fill_int_Tensor_> index_fill_;
inline constexpr overloads<aten::take, aten::take_out> take;
inline constexpr overloads<aten::embedding> embedding;
inline constexpr overloads<aten::embedding_dense_backward> embedding_dense_backward;

}  // namespace topbit
