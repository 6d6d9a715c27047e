// Padding.
export module topbit.ops:convolution.pad;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// `value` around the elements. pad: before and after the last dimension, then the one before it, ...; a negative
/// number removes elements.
///
/// Errors   shape_error for an odd number of numbers, more than two per dimension, or a negative resulting size
inline constexpr op<"aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor"> constant_pad_nd;

// Padding with the tensor's own elements. The last dimensions are padded, with or without a batch and channels in
// front; negative numbers remove elements. shape_error for other shapes, for more padding than a mode supports, and for
// an empty result in a padded dimension. One pass over the result for each padded dimension.

/// Reflection at the first and the last element, which are not repeated: fewer than the size.
inline constexpr op<"aten::reflection_pad1d(Tensor self, int[2] padding) -> Tensor"> reflection_pad1d;
inline constexpr op<"aten::reflection_pad1d.out(Tensor self, int[2] padding, *, Tensor(a!) out) -> Tensor(a!)">
    reflection_pad1d_out;
inline constexpr op<"aten::reflection_pad2d(Tensor self, int[4] padding) -> Tensor"> reflection_pad2d;
inline constexpr op<"aten::reflection_pad2d.out(Tensor self, int[4] padding, *, Tensor(a!) out) -> Tensor(a!)">
    reflection_pad2d_out;
inline constexpr op<"aten::reflection_pad3d(Tensor self, int[6] padding) -> Tensor"> reflection_pad3d;
inline constexpr op<"aten::reflection_pad3d.out(Tensor self, int[6] padding, *, Tensor(a!) out) -> Tensor(a!)">
    reflection_pad3d_out;

/// The first and the last element repeated.
inline constexpr op<"aten::replication_pad1d(Tensor self, int[2] padding) -> Tensor"> replication_pad1d;
inline constexpr op<"aten::replication_pad1d.out(Tensor self, int[2] padding, *, Tensor(a!) out) -> Tensor(a!)">
    replication_pad1d_out;
inline constexpr op<"aten::replication_pad2d(Tensor self, int[4] padding) -> Tensor"> replication_pad2d;
inline constexpr op<"aten::replication_pad2d.out(Tensor self, int[4] padding, *, Tensor(a!) out) -> Tensor(a!)">
    replication_pad2d_out;
inline constexpr op<"aten::replication_pad3d(Tensor self, int[6] padding) -> Tensor"> replication_pad3d;
inline constexpr op<"aten::replication_pad3d.out(Tensor self, int[6] padding, *, Tensor(a!) out) -> Tensor(a!)">
    replication_pad3d_out;

/// Circular padding, from the other end: at most the size.
inline constexpr op<"aten::_pad_circular(Tensor self, int[] pad) -> Tensor"> _pad_circular;

/// constant_pad_nd with mode "constant"; with "reflect" and "replicate" the ones above, by the number of numbers; with
/// "circular" _pad_circular. A value is for "constant" alone. Composite.
inline constexpr op<"aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor"> pad;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::constant_pad_nd> constant_pad_nd;
inline constexpr overloads<aten::reflection_pad1d, aten::reflection_pad1d_out> reflection_pad1d;
inline constexpr overloads<aten::reflection_pad2d, aten::reflection_pad2d_out> reflection_pad2d;
inline constexpr overloads<aten::reflection_pad3d, aten::reflection_pad3d_out> reflection_pad3d;
inline constexpr overloads<aten::replication_pad1d, aten::replication_pad1d_out> replication_pad1d;
inline constexpr overloads<aten::replication_pad2d, aten::replication_pad2d_out> replication_pad2d;
inline constexpr overloads<aten::replication_pad3d, aten::replication_pad3d_out> replication_pad3d;
inline constexpr overloads<aten::pad> pad;

}  // namespace topbit
