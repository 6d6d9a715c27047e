// Normalisation over batches and over groups of channels. float16 and bfloat16 are computed in float32.
export module topbit.ops:norm.batch_norm;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// (input - mean) / sqrt(var + eps) * weight + bias for each channel of [n, c, ..]. In training mean and variance are
/// those of the batch, and the running statistics, if given, are updated with `momentum`; else they are the running
/// statistics. Composite.
///
/// Errors   shape_error for an operand that is not [c]; error without running statistics outside training
inline constexpr op<
    "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
    "training, float momentum, float eps, bool cudnn_enabled) -> Tensor">
    batch_norm;

/// batch_norm, and the mean and 1 / sqrt(var + eps) of the batch, which are empty outside training. Composite.
inline constexpr op<
    "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, "
    "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)">
    native_batch_norm;

/// The same over groups of channels of each image: no batch, no running statistics. weight and bias: [c]. Composite.
inline constexpr op<
    "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
    "cudnn_enabled=True) -> Tensor">
    group_norm;

/// batch_norm of each channel of each image by itself. Running statistics, if given, are updated with the average over
/// the images; without use_input_stats they are used. Composite.
inline constexpr op<
    "aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool "
    "use_input_stats, float momentum, float eps, bool cudnn_enabled) -> Tensor">
    instance_norm;

}  // namespace topbit::aten

export namespace topbit::native {

/// The kernel of the norms above, with the means and the variances (divided by the number of elements): of `groups`
/// groups of channels of each image, [n, groups]; with groups = 0 of each channel over all images, [c]; if mean and
/// variance [c] are given, by these, and the statistics returned are empty. Parameters may have any floating dtype.
inline constexpr op<
    "topbit::channel_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? mean, Tensor? variance, int groups, "
    "float eps) -> (Tensor, Tensor, Tensor)">
    channel_norm;
/// The gradients of channel_norm with respect to input, weight and bias, as selected by output_mask; the others are
/// undefined. `given`: mean and variance are constants.
inline constexpr op<
    "topbit::channel_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor variance, Tensor? weight, int "
    "groups, float eps, bool given, bool[3] output_mask) -> (Tensor, Tensor, Tensor)">
    channel_norm_backward;

}  // namespace topbit::native

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::batch_norm> batch_norm;
inline constexpr overloads<aten::native_batch_norm> native_batch_norm;
inline constexpr overloads<aten::group_norm> group_norm;
inline constexpr overloads<aten::instance_norm> instance_norm;

}  // namespace topbit
