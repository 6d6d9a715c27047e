// Operators that make quantized tensors, read them, and round as they do. The ordinary operators that quantized tensors
// take part in are declared in topbit.ops: linear, mm, addmm, bmm, matmul, embedding, convolutions, and those that copy
// or select.
export module topbit.quantized:operators;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::native {

/// One scale for the whole tensor. Codes of 8 bits are -128 to 127, or 0 to 255 if not signed; codes of 4 bits are 0 to
/// 15. code = clamp(zero_point + round(self * (1 / scale))), ties to even: NaN becomes the zero point, and infinities
/// the ends of the range. Computed in float32, or float64 for that dtype.
///
/// Shapes   self: [..] -> [..]
/// Dtypes   floating-point types, which the result has
/// Gradient none: the result has no history
/// Errors   bad_argument for a scale that is not a normal positive float32, for a zero point out of range, and for bits
///          other than 8 and 4
inline constexpr op<
    "topbit::quantize_per_tensor(Tensor self, float scale, int zero_point, int bits=8, bool signed=True) -> Tensor">
    quantize_per_tensor;

/// The same with a scale and a zero point for each index of a dimension; without zero points, the middle of the range.
///
/// Shapes   self: [.., n, ..], scales: [n], zero_points: [n]
/// Errors   as above, and shape_error
inline constexpr op<
    "topbit::quantize_per_channel(Tensor self, Tensor scales, Tensor? zero_points, int axis, int bits=8, bool "
    "signed=True) -> Tensor">
    quantize_per_channel;

/// Scales for runs of `group` elements along the last dimension, chosen by their range; the last run of a row may be
/// shorter. Symmetric: scale = max |x| / 7.5 for 4 bits, / 127.5 for 8. Otherwise the codes span the range of the
/// elements, minimum to maximum, and each run has an offset.
///
/// Errors   bad_argument for a group that is not even and positive, and for NaN and infinity
/// Cost     waits for the device, to look for NaN
inline constexpr op<"topbit::quantize_groups(Tensor self, int bits=4, int group=32, bool symmetric=True) -> Tensor">
    quantize_groups;

/// What dequantize(quantize_groups(self)) gives, for training. The gradient passes unchanged.
inline constexpr op<
    "topbit::fake_quantize_groups(Tensor self, int bits=4, int group=32, bool symmetric=True) -> Tensor">
    fake_quantize_groups;

}  // namespace topbit::native

export namespace topbit::aten {

/// The values of a quantized tensor; a strided tensor is returned as it is.
///
/// Shapes   self: [..] -> [..], strided, of self's dtype
/// Gradient none
inline constexpr op<"aten::dequantize.self(Tensor self) -> Tensor"> dequantize_self;

/// The codes of a quantized tensor, each an element: a copy, int8 or uint8.
inline constexpr op<"aten::int_repr(Tensor self) -> Tensor"> int_repr;

/// scale * (clamp(zero_point + round(self * (1 / scale)), quant_min, quant_max) - zero_point), for training: what
/// dequantize(quantize_per_tensor(self)) gives, for any range of codes. The gradient passes where the rounded element
/// is in the range, and is 0 outside and for NaN.
///
/// Dtypes   floating-point types; computed in float32, or float64 for that dtype
/// Errors   as quantize_per_tensor; bad_argument unless quant_min <= zero_point <= quant_max
inline constexpr op<
    "aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> "
    "Tensor">
    fake_quantize_per_tensor_affine;

/// The same with a scale and a zero point for each index of a dimension.
inline constexpr op<
    "aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int "
    "quant_max) -> Tensor">
    fake_quantize_per_channel_affine;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<native::quantize_per_tensor> quantize_per_tensor;
inline constexpr overloads<native::quantize_per_channel> quantize_per_channel;
inline constexpr overloads<native::quantize_groups> quantize_groups;
inline constexpr overloads<aten::dequantize_self> dequantize;
inline constexpr overloads<aten::int_repr> int_repr;
inline constexpr overloads<aten::fake_quantize_per_tensor_affine> fake_quantize_per_tensor;
inline constexpr overloads<aten::fake_quantize_per_channel_affine> fake_quantize_per_channel;
inline constexpr overloads<native::fake_quantize_groups> fake_quantize_groups;

}  // namespace topbit
