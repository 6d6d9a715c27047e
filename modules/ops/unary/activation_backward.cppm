// Gradients of activations, each in one pass: the gradient of the result, grad_output, times the derivative. Floating
// types. An operator whose calls are recorded, or for which a device has no kernel, is composed of others.
export module topbit.ops:unary.activation_backward;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

// Of a result.

/// grad_output * (1 - output^2).
inline constexpr op<"aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor"> tanh_backward;
/// grad_output * output * (1 - output).
inline constexpr op<"aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor"> sigmoid_backward;

// Of the argument.

inline constexpr op<"aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor"> silu_backward;
inline constexpr op<"aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor">
    gelu_backward;
inline constexpr op<"aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor"> mish_backward;
/// The gradient of softplus; with beta=-1 that of log_sigmoid.
inline constexpr op<"aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor">
    softplus_backward;
/// The gradient of elu, from its argument or, with is_result, from its result, which needs alpha of at least 0.
inline constexpr op<
    "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor "
    "self_or_result) -> Tensor">
    elu_backward;
/// The gradient of leaky_relu. With self_is_result, self is its result, which needs negative_slope of at least 0.
inline constexpr op<
    "aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor">
    leaky_relu_backward;
inline constexpr op<"aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor"> hardswish_backward;
inline constexpr op<"aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor"> hardsigmoid_backward;
/// 0 where abs(self) <= lambd, else grad_output, also for NaN.
inline constexpr op<"aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor">
    hardshrink_backward;
inline constexpr op<"aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor">
    softshrink_backward;
/// The gradient of glu: those of both parts of self, joined.
inline constexpr op<"aten::glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor"> glu_backward;

/// prelu of a weight that broadcasts to self.
inline constexpr op<"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor"> _prelu_kernel;

}  // namespace topbit::aten

export namespace topbit::native {

/// The gradient of clamp with two bounds, hardtanh and relu6: grad_output where self lies between the bounds, 0 at them
/// and beyond.
inline constexpr op<"topbit::clamp_backward(Tensor grad_output, Tensor self, Scalar min, Scalar max) -> Tensor">
    clamp_backward;
/// The gradient of prelu: grad_output, times weight where self is not above 0.
inline constexpr op<"topbit::prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> Tensor"> prelu_backward;
/// The gradient of prelu with respect to a weight for each element: grad_output * self where self is not above 0.
inline constexpr op<"topbit::prelu_weight_backward(Tensor grad_output, Tensor self) -> Tensor"> prelu_weight_backward;

}  // namespace topbit::native

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::tanh_backward> tanh_backward;
inline constexpr overloads<aten::sigmoid_backward> sigmoid_backward;
inline constexpr overloads<aten::silu_backward> silu_backward;
inline constexpr overloads<aten::gelu_backward> gelu_backward;
inline constexpr overloads<aten::mish_backward> mish_backward;
inline constexpr overloads<aten::softplus_backward> softplus_backward;
inline constexpr overloads<aten::elu_backward> elu_backward;
inline constexpr overloads<aten::leaky_relu_backward> leaky_relu_backward;
inline constexpr overloads<aten::hardswish_backward> hardswish_backward;
inline constexpr overloads<aten::hardsigmoid_backward> hardsigmoid_backward;
inline constexpr overloads<aten::hardshrink_backward> hardshrink_backward;
inline constexpr overloads<aten::softshrink_backward> softshrink_backward;
inline constexpr overloads<aten::glu_backward> glu_backward;

}  // namespace topbit
