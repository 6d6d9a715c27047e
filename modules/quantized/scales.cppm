// Scales and zero points, chosen by the range of elements, and the schemes that are used most.
export module topbit.quantized:scales;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :payload;

export namespace topbit::quantized {

/// Rows of weights in int8: a quarter of the memory of float32.
inline constexpr scheme int8{.scales = granularity::per_channel};
/// The same, and linear() rounds its input to int8 too, row by row, and multiplies integers.
inline constexpr scheme int8_dynamic{.scales = granularity::per_channel, .dynamic_activations = true};
/// Weights in 4 bits, with a scale for each run of 32 in a row: 5 bits an element with float32 scales.
inline constexpr scheme int4{.scales = granularity::per_group, .bits = 4, .group = 32};

/// A quantized tensor with the scales that the range of x asks for. Symmetric: the largest magnitude of x, or of the
/// channel or group, is half a step outside the codes, which all lie within half a step then. Otherwise per_tensor and
/// per_channel have zero points, per_group has offsets. x has no gradient from it.
///
/// x: [..], floating-point -> [..], quantized, of the same dtype
/// Throws dtype_error, shape_error, bad_argument for an invalid scheme and for NaN and infinity. Waits for the device.
tensor quantize(const tensor& x, const scheme& s, bool symmetric = true);

/// x in another scheme: of a quantized tensor its dequantized values, quantized again. Throws as quantize().
tensor requantize(const tensor& x, const scheme& s, bool symmetric = true);

/// Scales and zero points of codes.
struct parameters {
  tensor scales;       // floating-point
  tensor zero_points;  // int32, of the same sizes
};

/// Such that the codes of the range hold all values from `least` to `greatest`, and 0 has a code. Symmetric: the zero
/// point is the middle of the range of codes, scale = max |x| * 2 / (highest - lowest). Otherwise
/// scale = (greatest - least) / (highest - lowest), zero point = lowest - round(least / scale), with least <= 0 <=
/// greatest. Where the scale would not be a normal number of float32, as that of zeros, it is 1.
///
/// least, greatest: [..], floating-point; scales are float32, or float64 for that dtype
parameters choose_parameters(const tensor& least, const tensor& greatest, const code_range& codes, bool symmetric);

}  // namespace topbit::quantized
