// Losses.
export module topbit.ops:loss.loss;

import topbit.std;
import topbit.core;
import topbit.tensor;

/// What a loss makes of its elements: `mse_loss(x, y, reduction::sum)`.
export namespace topbit::reduction {
inline constexpr std::int64_t none = 0, mean = 1, sum = 2;
}

export namespace topbit::aten {

/// -weight[target] * self[target] of rows of log-probabilities, reduced; the mean is by weight. A target equal to
/// ignore_index is ignored. self: [n, classes] or [classes]; target: int64 [n] or []. Composite over nll_loss_forward.
///
/// Errors   shape_error for other shapes or a target out of range; dtype_error for other dtypes; error for an invalid
///          reduction
inline constexpr op<
    "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) -> "
    "Tensor">
    nll_loss;
inline constexpr op<
    "aten::nll_loss.out(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100, *, "
    "Tensor(a!) out) -> Tensor(a!)">
    nll_loss_out;
/// The kernel of nll_loss; the second result is the sum of the weights, or 0 without a reduction.
inline constexpr op<
    "aten::nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor "
    "output, Tensor total_weight)">
    nll_loss_forward;
inline constexpr op<
    "aten::nll_loss_forward.output(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index, *, "
    "Tensor(a!) output, Tensor(b!) total_weight) -> (Tensor(a!), Tensor(b!))">
    nll_loss_forward_output;
/// The gradient of nll_loss_forward with respect to self.
inline constexpr op<
    "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int "
    "ignore_index, Tensor total_weight) -> Tensor">
    nll_loss_backward;
inline constexpr op<
    "aten::nll_loss_backward.grad_input(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, "
    "int ignore_index, Tensor total_weight, *, Tensor(a!) grad_input) -> Tensor(a!)">
    nll_loss_backward_grad_input;

/// nll_loss with any number of dimensions after the classes: self: [n, classes, d...], target: [n, d...]. Composite.
inline constexpr op<
    "aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) -> "
    "Tensor">
    nll_loss_nd;
/// nll_loss_nd of four dimensions. Composite.
inline constexpr op<
    "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100) -> "
    "Tensor">
    nll_loss2d;
inline constexpr op<
    "aten::nll_loss2d.out(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int ignore_index=-100, "
    "*, Tensor(a!) out) -> Tensor(a!)">
    nll_loss2d_out;

/// nll_loss_nd of log_softmax(self). target holds labels, or, with the shape and dtype of self, probabilities;
/// label_smoothing distributes that part of 1 evenly over all classes. Composite, over topbit::cross_entropy for labels
/// without smoothing.
inline constexpr op<
    "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, int "
    "ignore_index=-100, float label_smoothing=0.0) -> Tensor">
    cross_entropy_loss;

}  // namespace topbit::aten

export namespace topbit::native {

/// The kernel of cross_entropy_loss for labels, with the sum of the weights, or 0 without a reduction: one pass over
/// the rows of self, [n, classes], or [classes].
///
/// Errors   as nll_loss
inline constexpr op<
    "topbit::cross_entropy(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor "
    "output, Tensor total_weight)">
    cross_entropy;
/// The gradient of cross_entropy_forward with respect to self: (softmax(self) - one_hot(target)) by weight.
inline constexpr op<
    "topbit::cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, int "
    "ignore_index, Tensor total_weight) -> Tensor">
    cross_entropy_backward;

// Losses of elements of two tensors that broadcast, and their gradients with respect to self: one pass each.

/// (self - target)^2.
inline constexpr op<"topbit::squared_difference(Tensor self, Tensor target) -> Tensor"> squared_difference;
inline constexpr op<"topbit::squared_difference_backward(Tensor grad_output, Tensor self, Tensor target) -> Tensor">
    squared_difference_backward;
/// smooth_l1_loss of each element.
inline constexpr op<"topbit::smooth_l1(Tensor self, Tensor target, float beta) -> Tensor"> smooth_l1;
inline constexpr op<"topbit::smooth_l1_backward(Tensor grad_output, Tensor self, Tensor target, float beta) -> Tensor">
    smooth_l1_backward;
/// huber_loss of each element.
inline constexpr op<"topbit::huber(Tensor self, Tensor target, float delta) -> Tensor"> huber;
inline constexpr op<"topbit::huber_backward(Tensor grad_output, Tensor self, Tensor target, float delta) -> Tensor">
    huber_backward;

}  // namespace topbit::native

export namespace topbit::aten {

// Of two tensors that broadcast, element by element, then reduced. Composites.

/// (self - target)^2.
inline constexpr op<"aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"> mse_loss;
inline constexpr op<
    "aten::mse_loss.out(Tensor self, Tensor target, int reduction=Mean, *, Tensor(a!) out) -> Tensor(a!)">
    mse_loss_out;
/// abs(self - target).
inline constexpr op<"aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"> l1_loss;
/// With d = abs(self - target): d^2 / (2 beta) below beta, d - beta / 2 from there. beta of 0 is l1_loss.
inline constexpr op<"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor">
    smooth_l1_loss;
inline constexpr op<
    "aten::smooth_l1_loss.out(Tensor self, Tensor target, int reduction=Mean, float beta=1.0, *, Tensor(a!) out) -> "
    "Tensor(a!)">
    smooth_l1_loss_out;
/// With d = abs(self - target): d^2 / 2 up to delta, delta * (d - delta / 2) above.
inline constexpr op<"aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor">
    huber_loss;
inline constexpr op<
    "aten::huber_loss.out(Tensor self, Tensor target, int reduction=Mean, float delta=1.0, *, Tensor(a!) out) -> "
    "Tensor(a!)">
    huber_loss_out;
/// -weight * (target * log(self) + (1 - target) * log(1 - self)), with logarithms of at least -100.
///
/// Errors   shape_error if sizes differ
inline constexpr op<
    "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor">
    binary_cross_entropy;
inline constexpr op<
    "aten::binary_cross_entropy.out(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, *, Tensor(a!) "
    "out) -> Tensor(a!)">
    binary_cross_entropy_out;
/// binary_cross_entropy of sigmoid(self), without overflow; pos_weight weights the term of target.
inline constexpr op<
    "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
    "int reduction=Mean) -> Tensor">
    binary_cross_entropy_with_logits;
/// target * (log(target) - self), 0 where target is 0: self holds log-probabilities, and target too with log_target,
/// whose loss is exp(target) * (target - self).
inline constexpr op<"aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor">
    kl_div;
/// log(1 + exp(-target * self)), with targets of 1 and -1.
inline constexpr op<"aten::soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor">
    soft_margin_loss;
inline constexpr op<
    "aten::soft_margin_loss.out(Tensor self, Tensor target, int reduction=Mean, *, Tensor(a!) out) -> Tensor(a!)">
    soft_margin_loss_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::nll_loss, aten::nll_loss_out> nll_loss;
inline constexpr overloads<aten::nll_loss_forward, aten::nll_loss_forward_output> nll_loss_forward;
inline constexpr overloads<aten::nll_loss_backward, aten::nll_loss_backward_grad_input> nll_loss_backward;
inline constexpr overloads<aten::nll_loss_nd> nll_loss_nd;
inline constexpr overloads<aten::nll_loss2d, aten::nll_loss2d_out> nll_loss2d;
inline constexpr overloads<aten::cross_entropy_loss> cross_entropy_loss;
inline constexpr overloads<aten::mse_loss, aten::mse_loss_out> mse_loss;
inline constexpr overloads<aten::l1_loss> l1_loss;
inline constexpr overloads<aten::smooth_l1_loss, aten::smooth_l1_loss_out> smooth_l1_loss;
inline constexpr overloads<aten::huber_loss, aten::huber_loss_out> huber_loss;
inline constexpr overloads<aten::binary_cross_entropy, aten::binary_cross_entropy_out> binary_cross_entropy;
inline constexpr overloads<aten::binary_cross_entropy_with_logits> binary_cross_entropy_with_logits;
inline constexpr overloads<aten::kl_div> kl_div;
inline constexpr overloads<aten::soft_margin_loss, aten::soft_margin_loss_out> soft_margin_loss;

}  // namespace topbit
