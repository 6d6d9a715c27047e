// Padding.
export module topbit.ops:pad;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// `value` around the elements. pad: before and after the last dimension, then the one before it, ...; a negative
/// number takes elements away.
///
/// Errors   shape_error for an odd number of numbers, more than two for each dimension, or a size that gets negative
inline constexpr op<"aten::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor"> constant_pad_nd;

// What is around the elements taken from them. The last dimensions are padded, with or without a batch and channels in
// front; negative numbers take elements away. shape_error for other shapes, for more elements than a mode can take, and
// for a result without elements in a padded dimension. One pass over the result for each dimension that is padded.

/// The elements mirrored at the first and the last one, which are not repeated: less elements than there are.
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

/// The elements from the other end: at most as many as there are.
inline constexpr op<"aten::_pad_circular(Tensor self, int[] pad) -> Tensor"> pad_circular;

/// constant_pad_nd with mode "constant"; with "reflect" and "replicate" the ones above, by how many numbers are given;
/// with "circular" _pad_circular. A value is for "constant" alone. Composite.
inline constexpr op<"aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor"> pad;

}  // namespace topbit::ops
