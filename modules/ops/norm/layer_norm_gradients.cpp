// Gradient rules of layer_norm and rms_norm.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :norm.layer_norm_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

// The normalised dimensions, and those before them, over which weight and bias are shared.
struct layer_dims {
  shape front, last, statistics;  // statistics: the input's sizes with the normalised dimensions as 1
  std::int64_t count;
  layer_dims(T input, std::size_t normalised) : statistics(input.sizes()), count(1) {
    for (std::size_t d = 0; d < input.sizes().size(); ++d) {
      const bool is_front = d + normalised < input.sizes().size();
      (is_front ? front : last).push_back(static_cast<std::int64_t>(d));
      if (is_front) continue;
      count *= statistics[d];
      statistics[d] = 1;
    }
  }
  tensor mean(T t) const {
    return aten::div_Scalar(aten::sum_dim_IntList(t, std::optional(std::span<const std::int64_t>(last)), true), count);
  }
  // An empty list would mean all dimensions.
  tensor over_layers(T t) const {
    return front.empty() ? t : aten::sum_dim_IntList(t, std::optional(std::span<const std::int64_t>(front)), false);
  }
};

using layer_results = std::tuple<tensor, tensor, tensor>;

// If recorded, composed of differentiable operators.
layer_results layer_norm_backward(key_set keys, T grad, T input, layer_sizes given_shape, T mean, T rstd,
                                  const optional_tensor& weight, const optional_tensor& bias,
                                  std::span<const bool> wanted) {
  const auto recorded = [](const auto&... t) { return (requires_grad(t) || ...); };
  if (!recorded(grad, input, mean, rstd) && !(is_given(weight) && requires_grad(*weight))) {
    return aten::native_layer_norm_backward.redispatch(keys & below(key::Autograd), grad, input, given_shape, mean,
                                                       rstd, weight, bias, wanted);
  }
  {
    constexpr std::array<bool, 3> nothing{};
    layer_norm_backward_kernel::run({nullptr, aten::native_layer_norm_backward.name()}, grad, input, given_shape, mean,
                                    rstd, weight, bias, wanted.size() == 3 ? std::span<const bool>(nothing) : wanted);
  }
  const layer_dims over(input, given_shape.size());
  const dtype type = widened(input.dtype());
  const tensor g = to(grad, type), scale = aten::reshape(to(rstd, type), over.statistics);
  const tensor unit = (to(input, type) - aten::reshape(to(mean, type), over.statistics)) * scale;
  layer_results all;
  if (wanted[0]) {
    const tensor of_unit = is_given(weight) ? g * to(*weight, type) : g;
    const tensor of_input = scale * (of_unit - over.mean(of_unit) - unit * over.mean(of_unit * unit));
    std::get<0>(all) = to(of_input, input.dtype());
  }
  const dtype of_parameters = type_of_parameters(input, weight, bias);
  if (wanted[1]) std::get<1>(all) = to(over.over_layers(g * unit), of_parameters);
  if (wanted[2]) std::get<2>(all) = to(over.over_layers(g), of_parameters);
  return all;
}

struct layer_norm_gradient {
  saved_tensor input, weight;
  saved_result mean, rstd;
  shape given_shape;
  static layer_norm_gradient save(T x, layer_sizes given_shape, const optional_tensor& w, const optional_tensor&,
                                  double, const layer_results& r) {
    return {saved_tensor(x), saved_tensor(w), saved_result(std::get<1>(r), 1), saved_result(std::get<2>(r), 2),
            given_shape};
  }
  std::array<tensor, 3> backward(const std::array<tensor, 3>& g, std::array<bool, 3> wanted) const {
    std::array<tensor, 3> all;
    const tensor x = input.get();
    if (g[0].defined()) {
      const tensor m = mean.get(), r = rstd.get(), w = weight.get();
      std::tie(all[0], all[1], all[2]) = aten::native_layer_norm_backward(
          g[0], x, given_shape, m, r, w.defined() ? optional_tensor(w) : std::nullopt, std::nullopt, wanted);
    }
    if (!wanted[0] || (!g[1].defined() && !g[2].defined())) return all;
    const auto add = [&](T more) { all[0] = all[0].defined() ? all[0] + more : more; };
    const layer_dims over(x, given_shape.size());
    const auto each = static_cast<double>(over.count);
    if (g[1].defined()) add(aten::expand(g[1] / each, x.sizes()));
    if (g[2].defined()) {
      const tensor r = rstd.get();
      add((mean.get() - x) * (r * r * r * g[2] / each));
    }
    return all;
  }
};

// If recorded, composed of differentiable operators.
std::tuple<tensor, tensor> rms_norm_backward(key_set keys, T grad, T input, layer_sizes given_shape,
                                             const optional_tensor& weight, double eps, std::span<const bool> wanted) {
  if (!requires_grad(grad) && !requires_grad(input) && !(is_given(weight) && requires_grad(*weight))) {
    return native::rms_norm_backward.redispatch(keys & below(key::Autograd), grad, input, given_shape, weight, eps,
                                                wanted);
  }
  return composed_rms_norm_backward(grad, input, given_shape, weight, eps, wanted);
}

struct rms_norm_gradient {
  saved_tensor input, weight;
  shape given_shape;
  double eps;
  static rms_norm_gradient save(T x, layer_sizes given_shape, const optional_tensor& w, std::optional<double> eps, T) {
    return {saved_tensor(x), saved_tensor(w), given_shape, eps.value_or(step_of(x.dtype()))};
  }
  grads2 backward(T grad, wants2 wanted) const {
    const tensor x = input.get(), w = weight.get();
    const auto [of_input, of_weight] = native::rms_norm_backward(
        to(grad, x.dtype()), x, given_shape, w.defined() ? optional_tensor(w) : std::nullopt, eps, wanted);
    return {of_input, of_weight};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::native_layer_norm, layer_norm_gradient>(),
    author::row<&layer_norm_backward>(aten::native_layer_norm_backward, key::Autograd),
    gradient_row<aten::rms_norm, rms_norm_gradient>(),
    author::row<&rms_norm_backward>(native::rms_norm_backward, key::Autograd),
};

}  // namespace

// With unit = input / sqrt(mean(input^2) + eps).
std::tuple<tensor, tensor> composed_rms_norm_backward(const tensor& grad, const tensor& input, layer_sizes given_shape,
                                                      const optional_tensor& weight, double eps,
                                                      std::span<const bool> wanted) {
  check_rms_backward({nullptr, native::rms_norm_backward.name()}, grad, input, given_shape, weight, wanted);
  const layer_dims over(input, given_shape.size());
  const dtype type = widened(input.dtype());
  const tensor x = to(input, type), g = to(grad, type);
  const tensor scale = aten::rsqrt(over.mean(x * x) + eps), unit = x * scale;
  std::tuple<tensor, tensor> all;
  if (wanted[0]) {
    const tensor of_unit = is_given(weight) ? g * to(*weight, type) : g;
    std::get<0>(all) = to(scale * (of_unit - unit * over.mean(of_unit * unit)), input.dtype());
  }
  if (wanted[1]) {
    std::get<1>(all) = to(over.over_layers(g * unit), type_of_parameters(input, weight, std::nullopt));
  }
  return all;
}

std::span<const author::kernel_row> layer_norm_gradients() { return rows; }

}  // namespace topbit::detail
