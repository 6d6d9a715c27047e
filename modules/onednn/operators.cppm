// Operators that make tensors in oneDNN's formats, and products with what oneDNN fuses. The ordinary operators that
// such tensors take part in are declared in topbit.ops.
export module topbit.onednn:operators;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// The elements of self in a format of oneDNN's, row-major until an operator chooses another one; self if it is such a
/// tensor already. to_dense() converts back.
///
/// Shapes   self: [..] -> [..], 1 to 5 dimensions
/// Dtypes   float32, bfloat16, int8, uint8; with dtype= any floating-point type becomes float32 or bfloat16
/// Gradient strided for a strided self
/// Errors   dtype_error, shape_error
/// Cost     a copy
inline constexpr op<"aten::to_mkldnn(Tensor self, ScalarType? dtype=None) -> Tensor"> to_mkldnn;

}  // namespace topbit::aten

export namespace topbit::native {

/// relu(convolution(..)) in one pass where oneDNN computes it. Composite for other tensors.
inline constexpr op<
    "topbit::convolution_relu(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, "
    "int[1] dilation=1, int groups=1) -> Tensor">
    convolution_relu;

/// relu(linear(..)), likewise.
inline constexpr op<"topbit::linear_relu(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"> linear_relu;

/// A weight in the format that oneDNN wants for a convolution of an input of these sizes: calls do not reorder it.
/// Another input is right too, and reorders it again if it must. No gradient.
///
/// Shapes   weight: [out, channels / groups, window..] -> the same; input_size: [n, channels, ..]
/// Dtypes   float32, bfloat16
inline constexpr op<
    "topbit::pack_weight.convolution(Tensor weight, int[] input_size, int[1] stride=1, int[1] padding=0, int[1] "
    "dilation=1, int groups=1) -> Tensor">
    pack_weight_convolution;

/// The same for linear() of an input of so many rows.
///
/// Shapes   weight: [out, in] -> the same
inline constexpr op<"topbit::pack_weight.linear(Tensor weight, int rows) -> Tensor"> pack_weight_linear;

/// Convolution of integers: scales[o] * convolution(input, weight)[:, o] + bias[o], summed exactly in int32. The input
/// is codes with zero point 0. No gradient.
///
/// Shapes   input: [n, channels, ..], weight: [out, channels / groups, window..], scales: [out] or [1], bias: [out]
/// Dtypes   input: uint8 or int8, weight: int8, scales and bias: float32 -> float32
inline constexpr op<
    "topbit::int8_convolution(Tensor input, Tensor weight, Tensor scales, Tensor? bias=None, int[1] stride=1, int[1] "
    "padding=0, int[1] dilation=1, int groups=1, bool relu=False) -> Tensor">
    int8_convolution;

/// The same for linear(): scales[o] * (input @ weight.t())[:, o] + bias[o].
///
/// Shapes   input: [rows, in], weight: [out, in], scales: [out] or [1], bias: [out] -> [rows, out]
inline constexpr op<
    "topbit::int8_linear(Tensor input, Tensor weight, Tensor scales, Tensor? bias=None, bool relu=False) -> Tensor">
    int8_linear;

}  // namespace topbit::native

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::to_mkldnn> to_mkldnn;
inline constexpr overloads<native::convolution_relu> convolution_relu;
inline constexpr overloads<native::linear_relu> linear_relu;
inline constexpr overloads<native::pack_weight_convolution, native::pack_weight_linear> pack_weight;
inline constexpr overloads<native::int8_convolution> int8_convolution;
inline constexpr overloads<native::int8_linear> int8_linear;

}  // namespace topbit
