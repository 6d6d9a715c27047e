// Convolutions over one to three dimensions, and their gradients. float16 and bfloat16 are computed in float32; bool is
// refused.
export module topbit.ops:convolution.convolution;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// input: [n, groups * c, sizes..], weight: [out, c, kernel..] -> [n, out, sizes..]; bias: [out]. A list may have one
/// element, used for all dimensions. Transposed: see conv_transpose1d. Composite over topbit::convolve.
///
/// Errors   shape_error for mismatched shapes, including a window larger than the padded input; dtype_error if the
///          dtypes differ; error for a stride or dilation below 1, padding below 0, groups that do not divide `out`
inline constexpr op<
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool "
    "transposed, int[] output_padding, int groups) -> Tensor">
    convolution;

/// The gradients of input, weight and bias, as selected by output_mask; the others are undefined. Composite.
inline constexpr op<
    "aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, int[]? bias_sizes, int[] stride, "
    "int[] padding, int[] dilation, bool transposed, int[] output_padding, int groups, bool[3] output_mask) -> "
    "(Tensor, Tensor, Tensor)">
    convolution_backward;

/// convolution over the last dimension of [n, c, l] or [c, l]. Composite.
inline constexpr op<
    "aten::conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] "
    "dilation=1, int groups=1) -> Tensor">
    conv1d;
/// convolution over the last two dimensions of [n, c, h, w] or [c, h, w]. Composite.
inline constexpr op<
    "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
    "dilation=1, int groups=1) -> Tensor">
    conv2d;
/// convolution over the last three dimensions of [n, c, d, h, w] or [c, d, h, w]. Composite.
inline constexpr op<
    "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] "
    "dilation=1, int groups=1) -> Tensor">
    conv3d;

/// With padding "valid", none, or "same", such that a result of stride 1 has the sizes of the input. Composite.
inline constexpr op<
    "aten::conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding=\"valid\", "
    "int[1] dilation=1, int groups=1) -> Tensor">
    conv1d_padding;
inline constexpr op<
    "aten::conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, str padding=\"valid\", "
    "int[2] dilation=1, int groups=1) -> Tensor">
    conv2d_padding;
inline constexpr op<
    "aten::conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, str padding=\"valid\", "
    "int[3] dilation=1, int groups=1) -> Tensor">
    conv3d_padding;

/// Transposed convolution: the gradient of a convolution with respect to its input. weight: [channels, outputs /
/// groups, window...]. A result has (size - 1) * stride - 2 * padding + dilation * (window - 1) + output_padding + 1
/// elements, output_padding being less than the stride. Composites.
inline constexpr op<
    "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] "
    "output_padding=0, int groups=1, int[1] dilation=1) -> Tensor">
    conv_transpose1d;
inline constexpr op<
    "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, "
    "int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor">
    conv_transpose2d_input;
inline constexpr op<
    "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, "
    "int[3] output_padding=0, int groups=1, int[3] dilation=1) -> Tensor">
    conv_transpose3d_input;

}  // namespace topbit::aten

export namespace topbit::native {

/// The kernel of convolution, without a bias.
inline constexpr op<
    "topbit::convolve(Tensor input, Tensor weight, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor">
    convolve;
/// The gradient of convolve's input, of input_sizes.
inline constexpr op<
    "topbit::convolve_input_gradient(Tensor gradient, Tensor weight, int[] input_sizes, int[] stride, int[] padding, "
    "int[] dilation, int groups) -> Tensor">
    convolve_input_gradient;
/// The gradient of convolve's weight, of weight_sizes.
inline constexpr op<
    "topbit::convolve_weight_gradient(Tensor gradient, Tensor input, int[] weight_sizes, int[] stride, int[] padding, "
    "int[] dilation, int groups) -> Tensor">
    convolve_weight_gradient;

}  // namespace topbit::native

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::convolution> convolution;
inline constexpr overloads<aten::convolution_backward> convolution_backward;
inline constexpr overloads<aten::conv1d, aten::conv1d_padding> conv1d;
inline constexpr overloads<aten::conv2d, aten::conv2d_padding> conv2d;
inline constexpr overloads<aten::conv3d, aten::conv3d_padding> conv3d;
inline constexpr overloads<aten::conv_transpose1d> conv_transpose1d;
inline constexpr overloads<aten::conv_transpose2d_input> conv_transpose2d;
inline constexpr overloads<aten::conv_transpose3d_input> conv_transpose3d;

}  // namespace topbit
