// View operators that return several tensors: splits, and broadcasts to one shape. All are composites of :view, so that
// gradients and other layers work.
export module topbit.ops:view.view_list;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :view.view;
import :registration.device_check;

export namespace topbit::aten {

/// Parts of split_size elements along a dimension; the last one may be shorter. A dimension of size 0 gives one part.
inline constexpr op<"aten::split.Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]"> split_Tensor;
/// Parts of these sizes, which add up to the dimension.
inline constexpr op<"aten::split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]">
    split_with_sizes;
/// As split_with_sizes.
inline constexpr op<"aten::split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]"> split_sizes;
/// At most `chunks` parts of one size, but for the last.
inline constexpr op<"aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]"> chunk;
/// Exactly `sections` parts, the first of which may have one element more.
inline constexpr op<"aten::tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]">
    tensor_split_sections;
/// Splits before each of these indices, which are clamped as in slice.
inline constexpr op<"aten::tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]">
    tensor_split_indices;
/// The same with sections as a zero-dimensional int64 tensor, or indices as a one-dimensional one, on the host.
inline constexpr op<
    "aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) "
    "-> Tensor(a)[]">
    tensor_split_tensor_indices_or_sections;
/// Every slice of a dimension, which is removed.
inline constexpr op<"aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"> unbind_int;

/// All expanded to their broadcast shape.
inline constexpr op<"aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]"> broadcast_tensors;
/// Each with at least one dimension, as atleast_1d.
inline constexpr op<"aten::atleast_1d.Sequence(Tensor[] tensors) -> Tensor[]"> atleast_1d_Sequence;
/// Each with at least two, as atleast_2d.
inline constexpr op<"aten::atleast_2d.Sequence(Tensor[] tensors) -> Tensor[]"> atleast_2d_Sequence;
/// Each with at least three, as atleast_3d.
inline constexpr op<"aten::atleast_3d.Sequence(Tensor[] tensors) -> Tensor[]"> atleast_3d_Sequence;
/// meshgrid.indexing with "ij".
inline constexpr op<"aten::meshgrid(Tensor[] tensors) -> Tensor[]"> meshgrid;
/// The coordinates of a grid: tensor i of n, of one dimension or none, runs along dimension i of n and repeats along
/// the others ("ij"); with "xy" the first two dimensions of the results are swapped.
///
/// Errors   dtype_error, device_error where the tensors differ
inline constexpr op<"aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]"> meshgrid_indexing;

// The names of the array API for the same operators.

}  // namespace topbit::aten

// Only the sizes of the others are read.
namespace topbit {

template <>
inline constexpr bool author::spans_devices<decltype(aten::broadcast_tensors)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::atleast_1d_Sequence)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::atleast_2d_Sequence)> = true;
template <>
inline constexpr bool author::spans_devices<decltype(aten::atleast_3d_Sequence)> = true;
// The numbers are read on the host.
template <>
inline constexpr bool author::spans_devices<decltype(aten::tensor_split_tensor_indices_or_sections)> = true;

}  // namespace topbit

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::split_Tensor, aten::split_sizes> split;
inline constexpr overloads<aten::split_with_sizes> split_with_sizes;
inline constexpr overloads<aten::chunk> chunk;
inline constexpr overloads<aten::tensor_split_sections, aten::tensor_split_indices,
                           aten::tensor_split_tensor_indices_or_sections>
    tensor_split;
inline constexpr overloads<aten::unbind_int> unbind;
inline constexpr overloads<aten::broadcast_tensors> broadcast_tensors;
inline constexpr overloads<aten::atleast_1d, aten::atleast_1d_Sequence> atleast_1d;
inline constexpr overloads<aten::atleast_2d, aten::atleast_2d_Sequence> atleast_2d;
inline constexpr overloads<aten::atleast_3d, aten::atleast_3d_Sequence> atleast_3d;
inline constexpr overloads<aten::meshgrid, aten::meshgrid_indexing> meshgrid;

inline constexpr const auto& broadcast_arrays = broadcast_tensors;
inline constexpr const auto& unstack = unbind;

}  // namespace topbit
