// The classifier's loss.
export module topbit.ops:loss;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::ops {

/// log(softmax(self)) over the last dimension; `dim` must be that one. Composite over _log_softmax.
///
/// Shapes   self: [.., n]  ->  the same
/// Errors   shape_error for another dimension; dtype_error for integers
inline constexpr op<"aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor"> log_softmax;
/// log_softmax's kernel: the same without a dtype. half_to_float is ignored, there being no half.
inline constexpr op<"aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor"> log_softmax_forward;
/// grad - exp(output) * sum(grad) over each row: the gradient of log_softmax_forward, given its result.
inline constexpr op<
    "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor">
    log_softmax_backward;

/// The mean of -self[i, target[i]]. self: [n, classes], target: int64 [n]. Composite over topbit::nll_loss_mean.
///
/// Errors   shape_error for other shapes or a label out of range; dtype_error for other dtypes; error for weights, for
/// a
///          reduction other than Mean, and for an ignored index
inline constexpr op<
    "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) -> "
    "Tensor">
    nll_loss;
/// nll_loss's kernel: the mean, without weights.
inline constexpr op<"topbit::nll_loss_mean(Tensor self, Tensor target) -> Tensor"> nll_loss_mean;
/// -grad / n at each row's label, 0 elsewhere: the gradient of nll_loss_mean.
inline constexpr op<"topbit::nll_loss_mean_backward(Tensor grad, Tensor self, Tensor target) -> Tensor">
    nll_loss_mean_backward;

}  // namespace topbit::ops
