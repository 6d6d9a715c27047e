// The gradient rule of native::channel_norm.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :norm.channel_norm_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

// If recorded, composed of differentiable operators.
channel_results channel_norm_backward(key_set keys, T grad, T input, T mean, T variance, const optional_tensor& weight,
                                      std::int64_t groups, double eps, bool given, std::span<const bool> wanted) {
  const auto recorded = [](const auto&... t) { return (requires_grad(t) || ...); };
  if (!recorded(grad, input, mean, variance) && !(is_given(weight) && requires_grad(*weight))) {
    return native::channel_norm_backward.redispatch(keys & below(key::Autograd), grad, input, mean, variance, weight,
                                                    groups, eps, given, wanted);
  }
  return composed_channel_norm_backward(grad, input, mean, variance, weight, groups, eps, given, wanted);
}

struct channel_norm_gradient {
  saved_tensor input, weight, given_mean, given_variance;
  saved_result mean, variance;
  std::int64_t groups;
  double eps;
  bool given;

  static channel_norm_gradient save(T x, const optional_tensor& w, const optional_tensor&, const optional_tensor& m,
                                    const optional_tensor& v, std::int64_t groups, double eps,
                                    const channel_results& r) {
    return {saved_tensor(x),
            saved_tensor(w),
            saved_tensor(m),
            saved_tensor(v),
            saved_result(std::get<1>(r), 1),
            saved_result(std::get<2>(r), 2),
            groups,
            eps,
            is_given(m)};
  }
  std::array<tensor, 5> backward(const std::array<tensor, 3>& g, std::array<bool, 5> wanted) const {
    std::array<tensor, 5> all;
    const tensor x = input.get(), m = given ? given_mean.get() : mean.get(),
                 v = given ? given_variance.get() : variance.get();
    if (g[0].defined()) {
      const tensor w = weight.get();
      const std::array<bool, 3> needed{wanted[0], wanted[1] || wanted[4], wanted[2] || wanted[3]};
      const auto [of_x, of_w, of_b] = native::channel_norm_backward(
          g[0], x, m, v, w.defined() ? optional_tensor(w) : std::nullopt, groups, eps, given, needed);
      all[0] = of_x;
      if (wanted[1]) all[1] = of_w;
      if (wanted[2]) all[2] = of_b;
      // Of constants: result = (x - mean) * rstd * weight + bias.
      const auto scaled = [&](const tensor& t) { return w.defined() ? to(w, t.dtype()) * t : t; };
      if (wanted[3]) all[3] = -(scaled(of_b) * aten::rsqrt(to(v, of_b.dtype()) + eps));
      if (wanted[4]) all[4] = scaled(of_w) * -0.5 / (to(v, of_w.dtype()) + eps);
    }
    if (given || !wanted[0]) return all;
    const auto add = [&](const tensor& more) { all[0] = all[0].defined() ? all[0] + more : more; };
    const std::int64_t rows = m.numel();
    if (rows == 0) return all;
    const double count = static_cast<double>(x.numel() / rows);
    const auto beside = [&](const tensor& t) {
      if (groups == 0) return beside_channels(t, x.dim(), t.dtype());
      // A number of a group for each of its elements.
      const tensor of_groups = aten::reshape(t, shape{x.sizes()[0], groups, 1});
      return aten::reshape(aten::expand(of_groups, shape{x.sizes()[0], groups, x.numel() / rows}), x.sizes());
    };
    if (g[1].defined()) add(aten::expand(beside(g[1] / count), x.sizes()));
    if (g[2].defined()) add((to(x, m.dtype()) - beside(m)) * beside(g[2] * (2 / count)));
    return all;
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<native::channel_norm, channel_norm_gradient>(),
    author::row<&channel_norm_backward>(native::channel_norm_backward, key::Autograd),
};

}  // namespace

std::span<const author::kernel_row> channel_norm_gradients() { return rows; }

}  // namespace topbit::detail
