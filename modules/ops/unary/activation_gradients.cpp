// Gradient rules of activations, and the operators of activation_backward in parts. Rules save the argument where
// PyTorch does, so that the result may be overwritten.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :registration.operands;
import :unary.activation_kernels;

namespace topbit::detail {

namespace {

constexpr double root_half = 0.70710678118654752440;       // sqrt(1 / 2)
constexpr double root_2_over_pi = 0.79788456080286535588;  // sqrt(2 / pi)
constexpr double infinity = std::numeric_limits<double>::infinity();

// Gradients composed of differentiable operators, by which second derivatives are computed.

// g (1 - y^2).
tensor tanh_in_parts(T g, T y) { return aten::addcmul(g, g * y, y, arg<"value"> = -1); }
// g y (1 - y).
tensor sigmoid_in_parts(T g, T y) {
  const tensor gy = g * y;
  return aten::addcmul(gy, gy, y, arg<"value"> = -1);
}

// The argument of exp is clamped: infinity in the branch that is not selected would make second derivatives NaN.
tensor elu_in_parts(T g, const scalar& alpha, const scalar& scale, const scalar& input_scale, bool is_result, T x) {
  elu_backward_kernel::meta(aten::elu_backward.name(), g, alpha, scale, input_scale, is_result, x);
  const double right = scale.to_double(), low = alpha.to_double() * right, left = low * input_scale.to_double();
  tensor slope;
  if (is_result)
    slope = times(x + low, input_scale);
  else
    slope = times(aten::exp(times(aten::clamp_max(x, 0), input_scale)), left);
  return g * (!is_result && left == right ? slope : aten::where_ScalarSelf(x > 0, right, slope));
}
tensor leaky_relu_in_parts(T g, T x, const scalar& slope, bool is_result) {
  leaky_relu_backward_kernel::meta(aten::leaky_relu_backward.name(), g, x, slope, is_result);
  return aten::where_self(x > 0, g, times(g, slope));
}

// x P(x) with P the normal distribution function: g (1 + t) / 2 with t = erf(x / sqrt(2)) + 2 x P'(x).
tensor gelu_gradient(T g, T x) {
  const tensor bell = aten::exp(product(x, x, -0.5)), half = g * 0.5;
  const tensor t = aten::addcmul(aten::erf(x * root_half), x, bell, arg<"value"> = root_2_over_pi);
  return aten::addcmul(half, half, t);
}
// x (1 + t) / 2 with t = tanh(b (x + c x^3)): g (1 + t + b u (1 - t^2)) / 2 with u = x + 3 c x^3.
tensor gelu_tanh_gradient(T g, T x) {
  constexpr double b = root_2_over_pi, c = 0.044715;
  const tensor square = x * x, half = g * 0.5;
  const tensor t = aten::tanh(aten::addcmul(x, x, square, arg<"value"> = c) * b);
  const tensor u = aten::addcmul(x, x, square, arg<"value"> = 3 * c);
  const tensor bend = aten::addcmul(u, u * t, t, arg<"value"> = -1);
  return aten::addcmul(half, half, aten::add_Tensor(t, bend, arg<"alpha"> = b));
}
tensor gelu_in_parts(T g, T x, std::string_view approximate) {
  gelu_backward_kernel::meta(aten::gelu_backward.name(), g, x, approximate);
  return approximate == "tanh" ? gelu_tanh_gradient(g, x) : gelu_gradient(g, x);
}

// s (1 + x (1 - s)) with s = sigmoid(x).
tensor silu_in_parts(T g, T x) {
  const tensor s = aten::sigmoid(x), gs = g * s;
  return aten::addcmul(gs, gs, aten::addcmul(x, x, s, arg<"value"> = -1));
}
// t + x s (1 - t^2) with t = tanh(softplus(x)), s = sigmoid(x).
tensor mish_in_parts(T g, T x) {
  const tensor t = aten::tanh(aten::softplus(x)), xs = x * aten::sigmoid(x);
  return g * (t + aten::addcmul(xs, xs * t, t, arg<"value"> = -1));
}
tensor softplus_in_parts(T g, T x, const scalar& beta, const scalar& threshold) {
  const tensor z = times(x, beta), slope = g * aten::sigmoid(z);
  return threshold.to_double() == infinity ? slope : aten::where_self(aten::gt_Scalar(z, threshold), g, slope);
}

tensor hardswish_in_parts(T g, T x) {
  const tensor below_3 = aten::where_self(x < 3, g * (x * (1.0 / 3) + 0.5), g);
  return aten::where_ScalarSelf(x <= -3, 0, below_3);
}
tensor hardsigmoid_in_parts(T g, T x) { return aten::where_ScalarOther(aten::abs(x) < 3, g * (1.0 / 6), 0); }
tensor clamp_in_parts(T g, T x, const scalar& min, const scalar& max) {
  return aten::where_ScalarOther(aten::logical_and(aten::gt_Scalar(x, min), aten::lt_Scalar(x, max)), g, 0);
}
tensor shrink_in_parts(T g, T x, const scalar& lambd) {
  return aten::where_ScalarSelf(aten::le_Scalar(aten::abs(x), lambd), 0, g);
}
tensor prelu_backward_in_parts(T g, T x, T weight) { return aten::where_self(x > 0, g, g * weight); }
tensor prelu_weight_backward_in_parts(T g, T x) { return aten::where_ScalarSelf(x > 0, 0, g * x); }

// a s(b) by a: g s(b), and by b: g a s(b) (1 - s(b)), with the logistic function s.
tensor glu_backward_in_parts(T g, T self, std::int64_t dim) {
  const shape sizes = glu_backward_kernel::meta(aten::glu_backward.name(), g, self, dim).sizes;
  const std::int64_t half = sizes[dim_of({nullptr, aten::glu_backward.name()}, dim, self)] / 2;
  const tensor a = aten::narrow(self, dim, 0, half), s = aten::sigmoid(aten::narrow(self, dim, half, half));
  const tensor of_a = g * s;
  return aten::cat(std::vector<tensor>{of_a, sigmoid_in_parts(g * a, s)}, dim);
}

constexpr auto relu = derivative_rows<aten::relu, aten::relu_, keep<the_result>,
                                      [](T g, T y) { return aten::threshold_backward(g, y, 0); }>();
constexpr auto leaky_relu =
    derivative_rows<aten::leaky_relu, aten::leaky_relu_, keep<0>,
                    [](T g, T x, const scalar& slope) { return aten::leaky_relu_backward(g, x, slope, false); }>();
constexpr auto elu = derivative_rows<aten::elu, aten::elu_, keep<0>,
                                     [](T g, T x, const scalar& alpha, const scalar& scale, const scalar& input_scale) {
                                       return aten::elu_backward(g, alpha, scale, input_scale, false, x);
                                     }>();
constexpr auto silu =
    derivative_rows<aten::silu, aten::silu_, keep<0>, [](T g, T x) { return aten::silu_backward(g, x); }>();
constexpr auto gelu = derivative_rows<aten::gelu, aten::gelu_, keep<0>, [](T g, T x, const std::string& approximate) {
  return aten::gelu_backward(g, x, arg<"approximate"> = std::string_view(approximate));
}>();
constexpr auto mish =
    derivative_rows<aten::mish, aten::mish_, keep<0>, [](T g, T x) { return aten::mish_backward(g, x); }>();
constexpr auto hardswish = derivative_rows<aten::hardswish, aten::hardswish_, keep<0>,
                                           [](T g, T x) { return aten::hardswish_backward(g, x); }>();
constexpr auto hardsigmoid = derivative_rows<aten::hardsigmoid, aten::hardsigmoid_, keep<0>,
                                             [](T g, T x) { return aten::hardsigmoid_backward(g, x); }>();
constexpr auto threshold =
    derivative_rows<aten::threshold, aten::threshold_, keep<0>, [](T g, T x, const scalar& bound, const scalar&) {
      return aten::threshold_backward(g, x, bound);
    }>();

constexpr auto softplus =
    derivative_row<aten::softplus, keep<0>, [](T g, T x, const scalar& beta, const scalar& bound) {
      return aten::softplus_backward(g, x, beta, bound);
    }>();
// log_sigmoid(x) is softplus of beta -1.
constexpr auto log_sigmoid =
    derivative_row<aten::log_sigmoid, keep<0>, [](T g, T x) { return aten::softplus_backward(g, x, -1, infinity); }>();
constexpr auto hardshrink = derivative_row<aten::hardshrink, keep<0>, [](T g, T x, const scalar& lambd) {
  return aten::hardshrink_backward(g, x, lambd);
}>();
constexpr auto softshrink = derivative_row<aten::softshrink, keep<0>, [](T g, T x, const scalar& lambd) {
  return aten::softshrink_backward(g, x, lambd);
}>();
constexpr auto glu =
    derivative_row<aten::glu, keep<0>, [](T g, T x, std::int64_t dim) { return aten::glu_backward(g, x, dim); }>();
using prelu_rule =
    in_parts<aten::_prelu_kernel,
             formula<keep<0, 1>, [](T g, T x, T weight) { return native::prelu_backward(g, x, weight); }>,
             formula<keep<0>, [](T g, T x) { return native::prelu_weight_backward(g, x); }>>;

constexpr auto threshold_backward =
    derivative_row<aten::threshold_backward, keep<1>,
                   [](T g, T x, const scalar& threshold) { return aten::threshold_backward(g, x, threshold); },
                   [](T g, T, const scalar&) { return aten::zeros_like(g); }>();

constexpr auto rows = joined_rows(
    relu, leaky_relu, elu, silu, gelu, mish, hardswish, hardsigmoid, threshold,
    std::array{softplus, log_sigmoid, hardshrink, softshrink, glu, gradient_row<aten::_prelu_kernel, prelu_rule>(),
               threshold_backward},
    rows_in_parts<aten::tanh_backward, &tanh_in_parts>(), rows_in_parts<aten::sigmoid_backward, &sigmoid_in_parts>(),
    rows_in_parts<aten::silu_backward, &silu_in_parts>(), rows_in_parts<aten::gelu_backward, &gelu_in_parts>(),
    rows_in_parts<aten::mish_backward, &mish_in_parts>(), rows_in_parts<aten::softplus_backward, &softplus_in_parts>(),
    rows_in_parts<aten::elu_backward, &elu_in_parts>(),
    rows_in_parts<aten::leaky_relu_backward, &leaky_relu_in_parts>(),
    rows_in_parts<aten::hardswish_backward, &hardswish_in_parts>(),
    rows_in_parts<aten::hardsigmoid_backward, &hardsigmoid_in_parts>(),
    rows_in_parts<native::clamp_backward, &clamp_in_parts>(),
    rows_in_parts<aten::hardshrink_backward, &shrink_in_parts>(),
    rows_in_parts<aten::softshrink_backward, &shrink_in_parts>(),
    rows_in_parts<aten::glu_backward, &glu_backward_in_parts>(),
    rows_in_parts<native::prelu_backward, &prelu_backward_in_parts>(),
    rows_in_parts<native::prelu_weight_backward, &prelu_weight_backward_in_parts>());

}  // namespace

std::span<const author::kernel_row> activation_gradients() { return rows; }

}  // namespace topbit::detail
