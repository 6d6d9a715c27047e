// Activation functions of neural networks. Floating types, whose dtype the result has.
export module topbit.ops:unary.activation;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// max(self, 0); a NaN stays NaN. Integers too; dtype_error for bool.
inline constexpr op<"aten::relu(Tensor self) -> Tensor"> relu;
inline constexpr op<"aten::relu_(Tensor(a!) self) -> Tensor(a!)"> relu_;

/// self clamped to [0, 6]. Composite.
inline constexpr op<"aten::relu6(Tensor self) -> Tensor"> relu6;
inline constexpr op<"aten::relu6_(Tensor(a!) self) -> Tensor(a!)"> relu6_;

/// self clamped to [min_val, max_val]. Composite.
inline constexpr op<"aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor"> hardtanh;
inline constexpr op<"aten::hardtanh_(Tensor(a!) self, Scalar min_val=-1, Scalar max_val=1) -> Tensor(a!)"> hardtanh_;
inline constexpr op<
    "aten::hardtanh.out(Tensor self, Scalar min_val=-1, Scalar max_val=1, *, Tensor(a!) out) -> Tensor(a!)">
    hardtanh_out;

/// self, times negative_slope below 0.
inline constexpr op<"aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor"> leaky_relu;
inline constexpr op<"aten::leaky_relu_(Tensor(a!) self, Scalar negative_slope=0.01) -> Tensor(a!)"> leaky_relu_;
inline constexpr op<"aten::leaky_relu.out(Tensor self, Scalar negative_slope=0.01, *, Tensor(a!) out) -> Tensor(a!)">
    leaky_relu_out;

/// scale * self, and scale * alpha * (exp(input_scale * self) - 1) at and below 0.
inline constexpr op<"aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor"> elu;
inline constexpr op<"aten::elu_(Tensor(a!) self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor(a!)">
    elu_;
inline constexpr op<
    "aten::elu.out(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, *, Tensor(a!) out) -> Tensor(a!)">
    elu_out;

/// elu with the constants of self-normalising networks (Klambauer et al. 2017). Composite.
inline constexpr op<"aten::selu(Tensor self) -> Tensor"> selu;
inline constexpr op<"aten::selu_(Tensor(a!) self) -> Tensor(a!)"> selu_;

/// max(self, 0) + min(0, alpha * (exp(self / alpha) - 1)). Composite.
inline constexpr op<"aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor"> celu;
inline constexpr op<"aten::celu_(Tensor(a!) self, Scalar alpha=1.0) -> Tensor(a!)"> celu_;

/// self * sigmoid(self).
inline constexpr op<"aten::silu(Tensor self) -> Tensor"> silu;
inline constexpr op<"aten::silu_(Tensor(a!) self) -> Tensor(a!)"> silu_;
inline constexpr op<"aten::silu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> silu_out;

/// self * (1 + erf(self / sqrt(2))) / 2; with approximate='tanh' the approximation by tanh (Hendrycks and Gimpel 2016).
inline constexpr op<"aten::gelu(Tensor self, *, str approximate='none') -> Tensor"> gelu;
inline constexpr op<"aten::gelu_(Tensor(a!) self, *, str approximate='none') -> Tensor(a!)"> gelu_;
inline constexpr op<"aten::gelu.out(Tensor self, *, str approximate='none', Tensor(a!) out) -> Tensor(a!)"> gelu_out;

/// self * tanh(softplus(self)).
inline constexpr op<"aten::mish(Tensor self) -> Tensor"> mish;
inline constexpr op<"aten::mish_(Tensor(a!) self) -> Tensor(a!)"> mish_;
inline constexpr op<"aten::mish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> mish_out;

/// log(1 + exp(beta * self)) / beta, and self where beta * self > threshold.
inline constexpr op<"aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor"> softplus;
inline constexpr op<
    "aten::softplus.out(Tensor self, Scalar beta=1, Scalar threshold=20, *, Tensor(a!) out) -> Tensor(a!)">
    softplus_out;

/// self * clamp(self + 3, 0, 6) / 6.
inline constexpr op<"aten::hardswish(Tensor self) -> Tensor"> hardswish;
inline constexpr op<"aten::hardswish_(Tensor(a!) self) -> Tensor(a!)"> hardswish_;
inline constexpr op<"aten::hardswish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> hardswish_out;

/// clamp(self + 3, 0, 6) / 6.
inline constexpr op<"aten::hardsigmoid(Tensor self) -> Tensor"> hardsigmoid;
inline constexpr op<"aten::hardsigmoid_(Tensor(a!) self) -> Tensor(a!)"> hardsigmoid_;
inline constexpr op<"aten::hardsigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> hardsigmoid_out;

/// log(sigmoid(self)), accurate for large magnitudes.
inline constexpr op<"aten::log_sigmoid(Tensor self) -> Tensor"> log_sigmoid;
inline constexpr op<"aten::log_sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"> log_sigmoid_out;

/// 0 if self <= threshold, else grad_output, also for NaN: the gradient of relu.
inline constexpr op<"aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor">
    threshold_backward;
inline constexpr op<
    "aten::threshold_backward.grad_input(Tensor grad_output, Tensor self, Scalar threshold, *, Tensor(a!) grad_input) "
    "-> Tensor(a!)">
    threshold_backward_grad_input;

// Composites of comparisons and where. NaN propagates. Integers are supported unless noted.

/// self if it is above threshold, else value.
inline constexpr op<"aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor"> threshold;
inline constexpr op<"aten::threshold_(Tensor(a!) self, Scalar threshold, Scalar value) -> Tensor(a!)"> threshold_;
inline constexpr op<"aten::threshold.out(Tensor self, Scalar threshold, Scalar value, *, Tensor(a!) out) -> Tensor(a!)">
    threshold_out;

/// self if abs(self) > lambd, else 0. Floating types.
inline constexpr op<"aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor"> hardshrink;
inline constexpr op<"aten::hardshrink.out(Tensor self, Scalar lambd=0.5, *, Tensor(a!) out) -> Tensor(a!)">
    hardshrink_out;

/// self moved toward 0 by lambd, which is at least 0, and 0 if it would cross 0. Floating types.
inline constexpr op<"aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor"> softshrink;
inline constexpr op<"aten::softshrink.out(Tensor self, Scalar lambd=0.5, *, Tensor(a!) out) -> Tensor(a!)">
    softshrink_out;

/// self, times weight below 0: one weight, or one for each channel, dimension 1. Floating types, both of one dtype.
inline constexpr op<"aten::prelu(Tensor self, Tensor weight) -> Tensor"> prelu;

/// The first half of a dimension times sigmoid of the second. Floating types; shape_error for an odd size.
inline constexpr op<"aten::glu(Tensor self, int dim=-1) -> Tensor"> glu;
inline constexpr op<"aten::glu.out(Tensor self, int dim=-1, *, Tensor(a!) out) -> Tensor(a!)"> glu_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::relu> relu;
inline constexpr overloads<aten::relu_> relu_;
inline constexpr overloads<aten::relu6> relu6;
inline constexpr overloads<aten::relu6_> relu6_;
inline constexpr overloads<aten::hardtanh, aten::hardtanh_out> hardtanh;
inline constexpr overloads<aten::hardtanh_> hardtanh_;
inline constexpr overloads<aten::leaky_relu, aten::leaky_relu_out> leaky_relu;
inline constexpr overloads<aten::leaky_relu_> leaky_relu_;
inline constexpr overloads<aten::elu, aten::elu_out> elu;
inline constexpr overloads<aten::elu_> elu_;
inline constexpr overloads<aten::selu> selu;
inline constexpr overloads<aten::selu_> selu_;
inline constexpr overloads<aten::celu> celu;
inline constexpr overloads<aten::celu_> celu_;
inline constexpr overloads<aten::silu, aten::silu_out> silu;
inline constexpr overloads<aten::silu_> silu_;
inline constexpr overloads<aten::gelu, aten::gelu_out> gelu;
inline constexpr overloads<aten::gelu_> gelu_;
inline constexpr overloads<aten::mish, aten::mish_out> mish;
inline constexpr overloads<aten::mish_> mish_;
inline constexpr overloads<aten::softplus, aten::softplus_out> softplus;
inline constexpr overloads<aten::hardswish, aten::hardswish_out> hardswish;
inline constexpr overloads<aten::hardswish_> hardswish_;
inline constexpr overloads<aten::hardsigmoid, aten::hardsigmoid_out> hardsigmoid;
inline constexpr overloads<aten::hardsigmoid_> hardsigmoid_;
inline constexpr overloads<aten::log_sigmoid, aten::log_sigmoid_out> log_sigmoid;
inline constexpr overloads<aten::threshold_backward, aten::threshold_backward_grad_input> threshold_backward;
inline constexpr overloads<aten::threshold, aten::threshold_out> threshold;
inline constexpr overloads<aten::threshold_> threshold_;
inline constexpr overloads<aten::hardshrink, aten::hardshrink_out> hardshrink;
inline constexpr overloads<aten::softshrink, aten::softshrink_out> softshrink;
inline constexpr overloads<aten::prelu> prelu;
inline constexpr overloads<aten::glu, aten::glu_out> glu;

}  // namespace topbit
