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

/// constant_pad_nd; mode must be "constant". Composite.
inline constexpr op<"aten::pad(Tensor self, int[] pad, str mode=\"constant\", float? value=None) -> Tensor"> pad;

}  // namespace topbit::ops
