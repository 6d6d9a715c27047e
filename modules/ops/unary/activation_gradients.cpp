// Gradient rules of activations. They save the argument where PyTorch does, so that the result may be overwritten.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

constexpr double root_half = 0.70710678118654752440;       // sqrt(1 / 2)
constexpr double root_2_over_pi = 0.79788456080286535588;  // sqrt(2 / pi)

// The argument of exp is clamped: infinity in the branch that is not selected would make second derivatives NaN.
tensor elu_gradient(T g, T x, const scalar& alpha, const scalar& scale, const scalar& input_scale) {
  const double right = scale.to_double(), left = alpha.to_double() * right * input_scale.to_double();
  const tensor slope = times(aten::exp(times(aten::clamp_max(x, 0), input_scale)), left);
  return g * (left == right ? slope : aten::where_ScalarSelf(x > 0, right, slope));
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

// s (1 + x (1 - s)) with s = sigmoid(x).
tensor silu_gradient(T g, T x) {
  const tensor s = aten::sigmoid(x), gs = g * s;
  return aten::addcmul(gs, gs, aten::addcmul(x, x, s, arg<"value"> = -1));
}
// t + x s (1 - t^2) with t = tanh(softplus(x)), s = sigmoid(x).
tensor mish_gradient(T g, T x) {
  const tensor t = aten::tanh(aten::softplus(x)), xs = x * aten::sigmoid(x);
  return g * (t + aten::addcmul(xs, xs * t, t, arg<"value"> = -1));
}

tensor softplus_gradient(T g, T x, const scalar& beta, const scalar& threshold) {
  const tensor z = times(x, beta);
  return aten::where_self(aten::gt_Scalar(z, threshold), g, g * aten::sigmoid(z));
}

tensor hardswish_gradient(T g, T x) {
  const tensor below_3 = aten::where_self(x < 3, g * (x * (1.0 / 3) + 0.5), g);
  return aten::where_ScalarSelf(x <= -3, 0, below_3);
}

constexpr auto relu = derivative_rows<aten::relu, aten::relu_, keep<the_result>,
                                      [](T g, T y) { return aten::threshold_backward(g, y, 0); }>();
constexpr auto leaky_relu =
    derivative_rows<aten::leaky_relu, aten::leaky_relu_, keep<0>,
                    [](T g, T x, const scalar& slope) { return aten::where_self(x > 0, g, times(g, slope)); }>();
constexpr auto elu = derivative_rows<aten::elu, aten::elu_, keep<0>, elu_gradient>();
constexpr auto silu = derivative_rows<aten::silu, aten::silu_, keep<0>, silu_gradient>();
constexpr auto gelu = derivative_rows<aten::gelu, aten::gelu_, keep<0>, [](T g, T x, const std::string& approximate) {
  return approximate == "tanh" ? gelu_tanh_gradient(g, x) : gelu_gradient(g, x);
}>();
constexpr auto mish = derivative_rows<aten::mish, aten::mish_, keep<0>, mish_gradient>();
constexpr auto hardswish = derivative_rows<aten::hardswish, aten::hardswish_, keep<0>, hardswish_gradient>();
constexpr auto hardsigmoid = derivative_rows<aten::hardsigmoid, aten::hardsigmoid_, keep<0>, [](T g, T x) {
  return aten::where_ScalarOther(aten::abs(x) < 3, g * (1.0 / 6), 0);
}>();
constexpr auto softplus = derivative_row<aten::softplus, keep<0>, softplus_gradient>();
constexpr auto log_sigmoid =
    derivative_row<aten::log_sigmoid, keep<0>, [](T g, T x) { return g * aten::sigmoid(-x); }>();
// The in-place form only; the functional form is a composite.
constexpr auto threshold_in_place =
    gradient_row<aten::threshold_,
                 derivative<aten::threshold, keep<0>, [](T g, T x, const scalar& bound, const scalar&) {
                   return aten::threshold_backward(g, x, bound);
                 }>>();
constexpr auto threshold_backward =
    derivative_row<aten::threshold_backward, keep<1>,
                   [](T g, T x, const scalar& threshold) { return aten::threshold_backward(g, x, threshold); },
                   [](T g, T, const scalar&) { return aten::zeros_like(g); }>();

constexpr author::kernel_row rows[] = {
    relu[0],
    relu[1],
    leaky_relu[0],
    leaky_relu[1],
    elu[0],
    elu[1],
    silu[0],
    silu[1],
    gelu[0],
    gelu[1],
    mish[0],
    mish[1],
    hardswish[0],
    hardswish[1],
    hardsigmoid[0],
    hardsigmoid[1],
    softplus,
    log_sigmoid,
    threshold_in_place,
    threshold_backward,
};

}  // namespace

std::span<const author::kernel_row> activation_gradients() { return rows; }

}  // namespace topbit::detail
