// Normalisation over the last dimensions.
export module topbit.ops:norm.layer_norm;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// (input - mean) / sqrt(variance + eps) * weight + bias over the last dimensions, whose sizes are normalized_shape.
/// Composite over native_layer_norm.
inline constexpr op<
    "aten::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
    "bool cudnn_enable=True) -> Tensor">
    layer_norm;

/// The kernel of layer_norm, with each row's mean and 1 / sqrt(variance + eps).
inline constexpr op<
    "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> "
    "(Tensor, Tensor, Tensor)">
    native_layer_norm;
/// The gradients of native_layer_norm with respect to input, weight and bias, as selected by output_mask; the others
/// are undefined.
inline constexpr op<
    "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor "
    "rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)">
    native_layer_norm_backward;

/// input / sqrt(mean of input^2 + eps) * weight; without eps the machine epsilon of the dtype.
inline constexpr op<
    "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor">
    rms_norm;

}  // namespace topbit::aten

export namespace topbit::native {

/// The gradients of rms_norm with respect to input and weight, as selected by output_mask; the others are undefined.
inline constexpr op<
    "topbit::rms_norm_backward(Tensor grad_out, Tensor input, int[] normalized_shape, Tensor? weight, float eps, "
    "bool[2] output_mask) -> (Tensor, Tensor)">
    rms_norm_backward;

}  // namespace topbit::native

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::layer_norm> layer_norm;
inline constexpr overloads<aten::native_layer_norm> native_layer_norm;
inline constexpr overloads<aten::native_layer_norm_backward> native_layer_norm_backward;
inline constexpr overloads<aten::rms_norm> rms_norm;

}  // namespace topbit
