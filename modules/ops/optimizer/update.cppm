// Optimizer steps on lists of parameters.
export module topbit.ops:optimizer.update;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

// One step for each parameter of a list, in one pass over it, its gradient and its state, which are written. Lists have
// one tensor for each parameter, of its sizes and dtype; the state of a float16 or bfloat16 parameter may be float32.
// With maximize the gradient is negated; with grad_scale it is divided by that first, and written; if found_inf is not
// 0, nothing happens.
//
// Errors   error for lists of different lengths; shape_error and dtype_error for tensors that differ

/// Stochastic gradient descent: g = grad + weight_decay * self; buffer = momentum * buffer + (1 - dampening) * g, or g
/// in the first step; self -= lr * buffer, or with nesterov lr * (g + momentum * buffer), or without momentum lr * g,
/// which needs no buffers.
inline constexpr op<
    "aten::_fused_sgd_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] momentum_buffer_list, *, float "
    "weight_decay, float momentum, float lr, float dampening, bool nesterov, bool maximize, bool is_first_step, "
    "Tensor? grad_scale=None, Tensor? found_inf=None) -> ()">
    _fused_sgd_;

/// Adam: self -= lr / (1 - beta1^step) * exp_avg / (sqrt(exp_avg_sq / (1 - beta2^step)) + eps), of averages of the
/// gradient, to which weight_decay * self is added, and of its square; with amsgrad of the maximum of such squares so
/// far. state_steps has the step numbers, from 1; on the parameters' device they are read there, without
/// synchronisation.
inline constexpr op<
    "aten::_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
    "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, "
    "float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()">
    _fused_adam_;
/// As _fused_adam_, but self is multiplied with 1 - lr * weight_decay, and nothing is added to the gradient.
inline constexpr op<
    "aten::_fused_adamw_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
    "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, float beta1, float beta2, float weight_decay, "
    "float eps, bool amsgrad, bool maximize, Tensor? grad_scale=None, Tensor? found_inf=None) -> ()">
    _fused_adamw_;

}  // namespace topbit::aten
