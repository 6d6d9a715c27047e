// Views: operators that return the same storage in another shape, with one kernel for every strided backend, without
// reading elements. A write to a view is a write to its base; at the end are operators that copy the base instead of
// writing to it. Those that return several tensors are in :view_list.
//
// Dimensions count from the front or, negative, from the end. All throw shape_error for mismatched arguments, and error
// for a tensor without storage, which needs kernels of its backend.
export module topbit.ops:view.view;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.device_check;

export namespace topbit::aten {

// The order of dimensions.

/// Swaps two dimensions. A zero-dimensional tensor accepts 0 and -1.
inline constexpr op<"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"> transpose_int;
/// As transpose. Composite.
inline constexpr op<"aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)"> swapaxes;
/// As transpose. Composite.
inline constexpr op<"aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)"> swapdims;
/// Dimension i of the result is dimension dims[i]; each must be named once.
inline constexpr op<"aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)"> permute;
/// Dimension source[i] moves to destination[i]; the others keep their order. Composite.
inline constexpr op<"aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)">
    movedim_intlist;
/// One dimension moves. Composite.
inline constexpr op<"aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)"> movedim_int;
/// The transpose of a matrix; tensors with fewer dimensions are unchanged. Composite.
inline constexpr op<"aten::t(Tensor(a) self) -> Tensor(a)"> t;
/// All dimensions in reverse order. Composite.
inline constexpr op<"aten::numpy_T(Tensor(a) self) -> Tensor(a)"> numpy_T;
/// Swaps the last two dimensions; fewer are an error. Composite.
inline constexpr op<"aten::mT(Tensor(a) self) -> Tensor(a)"> mT;
/// The conjugate transpose, which is mT for the supported dtypes. Composite.
inline constexpr op<"aten::mH(Tensor(a) self) -> Tensor(a)"> mH;
/// As mH. Composite.
inline constexpr op<"aten::adjoint(Tensor(a) self) -> Tensor(a)"> adjoint;
/// As mH, of exactly two dimensions. Composite.
inline constexpr op<"aten::matrix_H(Tensor(a) self) -> Tensor(a)"> matrix_H;

// Dimensions of size 1, and more of them.

/// Inserts a dimension of size 1 before `dim`; -1 is after the last.
inline constexpr op<"aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)"> unsqueeze;
/// Removes all dimensions of size 1.
inline constexpr op<"aten::squeeze(Tensor(a) self) -> Tensor(a)"> squeeze;
/// Removes this dimension if its size is 1.
inline constexpr op<"aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)"> squeeze_dim;
/// Dimensions of size 1, and new ones in front, repeated without copying; -1 keeps a size.
inline constexpr op<"aten::expand(Tensor(a) self, int[] size, *, bool implicit=False) -> Tensor(a)"> expand;
/// As expand. Composite.
inline constexpr op<"aten::broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)"> broadcast_to;
/// expand to the sizes of other. Composite.
inline constexpr op<"aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)"> expand_as;
/// At least one dimension: without any, [1]. Composite.
inline constexpr op<"aten::atleast_1d(Tensor self) -> Tensor"> atleast_1d;
/// At least two dimensions: [n] becomes [1, n]. Composite.
inline constexpr op<"aten::atleast_2d(Tensor self) -> Tensor"> atleast_2d;
/// At least three dimensions: [n] becomes [1, n, 1], [m, n] becomes [m, n, 1]. Composite.
inline constexpr op<"aten::atleast_3d(Tensor self) -> Tensor"> atleast_3d;

// The same elements in another shape.

/// Another shape of the same elements; one size may be -1. Dimensions can always be split, and merged if their strides
/// are compatible; otherwise shape_error.
inline constexpr op<"aten::view(Tensor(a) self, int[] size) -> Tensor(a)"> view;
/// view with the sizes of other. Composite.
inline constexpr op<"aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)"> view_as;
/// view where possible, else a dense copy. Composite.
inline constexpr op<"aten::reshape(Tensor(a) self, int[] shape) -> Tensor(a)"> reshape;
/// reshape to the sizes of other. Composite.
inline constexpr op<"aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)"> reshape_as;
/// Dimensions start_dim to end_dim, both included, merged by reshape. Composite.
inline constexpr op<"aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)">
    flatten_using_ints;
/// reshape to one dimension. Composite.
inline constexpr op<"aten::ravel(Tensor(a) self) -> Tensor(a)"> ravel;
/// Splits one dimension into several, of which one may be -1. Composite.
inline constexpr op<"aten::unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)"> unflatten_int;
/// The tensor itself if it is dense, else a dense copy. Composite.
inline constexpr op<"aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)">
    contiguous;
/// A new tensor over the same elements.
inline constexpr op<"aten::alias(Tensor(a) self) -> Tensor(a)"> alias;
/// As alias, outside the graph.
inline constexpr op<"aten::detach(Tensor(a) self) -> Tensor(a)"> detach;

// A part of the elements.

/// Index `index` of one dimension, which is removed; a negative index counts from the end.
inline constexpr op<"aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)"> select_int;
/// Elements start, start + step, ... below end of one dimension; negative bounds count from the end, and are clamped.
inline constexpr op<
    "aten::slice.Tensor(Tensor(a) self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor(a)">
    slice_Tensor;
/// `length` elements of one dimension, which must be in range. Composite.
inline constexpr op<"aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)"> narrow;
/// The same with the start in a one-element integer tensor, which is read. Composite.
inline constexpr op<"aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, int length) -> Tensor(a)">
    narrow_Tensor;
/// The elements whose index in dim2 is the one in dim1 plus offset, as a last dimension that replaces both.
inline constexpr op<"aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)"> diagonal;
/// Windows of `size` elements, `step` apart: the dimension indexes windows, and a new last one their elements. They may
/// overlap.
inline constexpr op<"aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)"> unfold;
/// Any sizes, strides and offset, in elements, that stay within the storage; strides may not be negative. Without an
/// offset, the tensor's own.
inline constexpr op<"aten::as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None) -> Tensor(a)">
    as_strided;

// Copies instead of views.

/// A dense copy of what as_strided selects. Composite.
inline constexpr op<"aten::as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor">
    as_strided_copy;

// A copy of self, in which the elements of a view are those of src, which has exactly the sizes of the view and is
// converted to the dtype of self: what self would be after src was copied to the view. The result shares no memory.

/// The copy with the view select(dim, index) overwritten.
inline constexpr op<"aten::select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor"> select_scatter;
/// The copy with the view slice(dim, start, end, step) overwritten.
inline constexpr op<
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor">
    slice_scatter;
/// The copy with the view diagonal(offset, dim1, dim2) overwritten.
inline constexpr op<"aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor">
    diagonal_scatter;
/// The copy with the view as_strided(size, stride, storage_offset) overwritten. It has the strides and the offset of
/// self; where elements of self share memory, it is dense, and so is what size and stride refer to.
inline constexpr op<
    "aten::as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor">
    as_strided_scatter;

// The names of the array API for the same operators.

}  // namespace topbit::aten

namespace topbit {

template <>
inline constexpr bool author::spans_devices<decltype(aten::expand_as)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::view_as)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::reshape_as)> = true;
// The start is read on the host.
template <>
inline constexpr bool author::spans_devices<decltype(aten::narrow_Tensor)> = true;

}  // namespace topbit

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::transpose_int> transpose;
inline constexpr overloads<aten::swapaxes> swapaxes;
inline constexpr overloads<aten::swapdims> swapdims;
inline constexpr overloads<aten::permute> permute;
inline constexpr overloads<aten::movedim_intlist, aten::movedim_int> movedim;
inline constexpr overloads<aten::t> t;
inline constexpr overloads<aten::numpy_T> numpy_T;
inline constexpr overloads<aten::mT> mT;
inline constexpr overloads<aten::mH> mH;
inline constexpr overloads<aten::adjoint> adjoint;
inline constexpr overloads<aten::matrix_H> matrix_H;
inline constexpr overloads<aten::unsqueeze> unsqueeze;
inline constexpr overloads<aten::detach> detach;
inline constexpr overloads<aten::squeeze, aten::squeeze_dim> squeeze;
inline constexpr overloads<aten::expand> expand;
inline constexpr overloads<aten::broadcast_to> broadcast_to;
inline constexpr overloads<aten::expand_as> expand_as;
inline constexpr overloads<aten::view> view;
inline constexpr overloads<aten::view_as> view_as;
inline constexpr overloads<aten::reshape> reshape;
inline constexpr overloads<aten::reshape_as> reshape_as;
inline constexpr overloads<aten::flatten_using_ints> flatten;
inline constexpr overloads<aten::ravel> ravel;
inline constexpr overloads<aten::unflatten_int> unflatten;
inline constexpr overloads<aten::contiguous> contiguous;
inline constexpr overloads<aten::alias> alias;
inline constexpr overloads<aten::select_int> select;
inline constexpr overloads<aten::narrow, aten::narrow_Tensor> narrow;
inline constexpr overloads<aten::diagonal> diagonal;
inline constexpr overloads<aten::unfold> unfold;
inline constexpr overloads<aten::as_strided> as_strided;
inline constexpr overloads<aten::as_strided_copy> as_strided_copy;
inline constexpr overloads<aten::select_scatter> select_scatter;
inline constexpr overloads<aten::slice_scatter> slice_scatter;
inline constexpr overloads<aten::diagonal_scatter> diagonal_scatter;
inline constexpr overloads<aten::as_strided_scatter> as_strided_scatter;

inline constexpr const auto& permute_dims = permute;
inline constexpr const auto& moveaxis = movedim;
inline constexpr const auto& matrix_transpose = mT;
inline constexpr const auto& expand_dims = unsqueeze;

}  // namespace topbit
