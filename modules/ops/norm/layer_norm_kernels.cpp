// Kernels of the family `layer_norm`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// Checks normalized_shape; returns the number of dimensions before the normalised ones.
std::size_t check_layer(backend_call c, const tensor& input, layer_sizes given_shape) {
  check_defined(c, input);
  check_floating(c, input);
  const shape wanted = sizes_of(c, given_shape);
  bool fits = !wanted.empty() && wanted.size() <= input.sizes().size();
  const std::size_t front = fits ? input.sizes().size() - wanted.size() : 0;
  for (std::size_t d = 0; fits && d < wanted.size(); ++d) fits = input.sizes()[front + d] == wanted[d];
  if (!fits) {
    refuse<shape_error>(c, "found " + to_string(input.sizes()) + " and normalized_shape " + to_string(wanted) +
                               ", wanted the sizes of the last dimensions, at least one");
  }
  return front;
}

void check_parameter(backend_call c, const tensor& input, layer_sizes given_shape, const std::optional<tensor>& t,
                     std::string_view name) {
  if (!is_given(t)) return;
  if (t->sizes() != shape(given_shape)) {
    refuse<shape_error>(
        c, "found a " + std::string(name) + " " + to_string(t->sizes()) + ", wanted " + to_string(shape(given_shape)));
  }
  if (t->dtype() != input.dtype()) {
    refuse<dtype_error>(c, "found a " + std::string(name) + " of " + std::string(name_of(t->dtype())) + " for " +
                               describe(input) + ", wanted one dtype");
  }
}

// Operands as rows of all normalised elements.
struct layer_rows {
  shape sizes;
  explicit layer_rows(const tensor& input, layer_sizes given_shape) : sizes{1, numel(shape(given_shape))} {
    for (std::size_t d = 0; d + given_shape.size() < input.sizes().size(); ++d) sizes[0] *= input.sizes()[d];
  }
  tensor of(backend_call c, const tensor& t) const { return reshaped(dense(c, t), sizes); }
  // The same values for each row (stride 0).
  tensor repeated(backend_call c, const std::optional<tensor>& t) const {
    if (!is_given(t)) return {};
    const tensor row = dense(c, *t);
    return author::make_view(row, sizes, {0, 1}, author::record_of(row).offset);
  }
  tensor column(const tensor& t) const { return reshaped(t, {sizes[0], 1}); }
};

// Machine epsilon of the compute type.
double step_of(dtype floating) { return floating == dtype::float64 ? 0x1p-52 : 0x1p-23; }

}  // namespace

std::array<result_meta, 3> layer_norm_kernel::meta(std::string_view op, const tensor& input, layer_sizes given_shape,
                                                   const std::optional<tensor>& weight,
                                                   const std::optional<tensor>& bias, double) {
  const backend_call c{nullptr, op};
  const std::size_t front = check_layer(c, input, given_shape);
  check_parameter(c, input, given_shape, weight, "weight");
  check_parameter(c, input, given_shape, bias, "bias");
  shape statistics = input.sizes();
  for (std::size_t d = front; d < statistics.size(); ++d) statistics[d] = 1;
  return {dense_meta(input.sizes(), input.dtype(), input), dense_meta(statistics, input.dtype(), input),
          dense_meta(statistics, input.dtype(), input)};
}
void layer_norm_kernel::run(backend_call c, const tensor& input, layer_sizes given_shape,
                            const std::optional<tensor>& weight, const std::optional<tensor>& bias, double eps,
                            const tensor& out, const tensor& mean, const tensor& rstd) {
  const layer_rows rows(input, given_shape);
  const tensor in = rows.of(c, input), w = rows.repeated(c, weight), b = rows.repeated(c, bias);
  const tensor to = reshaped(out, rows.sizes), m = rows.column(mean), r = rows.column(rstd);
  run_rows(c, {rowwise::layer_norm, input.dtype(), 1, rows.sizes},
           {written(to), written(m), written(r), read(in), read(w), read(b)}, {eps});
}

std::tuple<tensor, tensor, tensor> layer_norm_backward_kernel::run(backend_call c, const tensor& grad,
                                                                   const tensor& input, layer_sizes given_shape,
                                                                   const tensor& mean, const tensor& rstd,
                                                                   const std::optional<tensor>& weight,
                                                                   const std::optional<tensor>& bias,
                                                                   std::span<const bool> wanted) {
  check_layer(c, input, given_shape);
  check_parameter(c, input, given_shape, weight, "weight");
  check_parameter(c, input, given_shape, bias, "bias");
  check_defined(c, grad);
  check_defined(c, mean);
  check_defined(c, rstd);
  const auto other_gradient = [&] {
    return "found a gradient " + describe(grad) + " for " + describe(input) + ", wanted the same";
  };
  if (grad.sizes() != input.sizes()) refuse<shape_error>(c, other_gradient());
  if (grad.dtype() != input.dtype()) refuse<dtype_error>(c, other_gradient());
  const layer_rows rows(input, given_shape);
  const auto other_moments = [&] {
    return "found means " + describe(mean) + " and rstd " + describe(rstd) + ", wanted a floating number for each of " +
           std::to_string(rows.sizes[0]) + " rows";
  };
  if (mean.numel() != rows.sizes[0] || rstd.numel() != rows.sizes[0]) refuse<shape_error>(c, other_moments());
  if (!is_floating(mean.dtype()) || !is_floating(rstd.dtype())) refuse<dtype_error>(c, other_moments());
  if (wanted.size() != 3) {
    refuse<error>(c, "found " + std::to_string(wanted.size()) + " elements of output_mask, wanted 3");
  }
  const auto made = [&](bool is_wanted, const shape& sizes) {
    return is_wanted ? author::make_tensor(sizes, input.dtype(), input.device()) : tensor();
  };
  const tensor in_grad = made(wanted[0], input.sizes()), w_grad = made(wanted[1], shape(given_shape)),
               b_grad = made(wanted[2], shape(given_shape));
  if (c.table == nullptr) return {in_grad, w_grad, b_grad};
  const tensor g = rows.of(c, grad), in = rows.of(c, input), m = rows.column(dense(c, mean)),
               r = rows.column(dense(c, rstd));
  if (wanted[0] && in_grad.numel() != 0) {
    const tensor to = reshaped(in_grad, rows.sizes), w = rows.repeated(c, weight);
    run_rows(c, {rowwise::layer_norm_backward, input.dtype(), 1, rows.sizes},
             {written(to), read(g), read(in), read(m), read(r), read(w)});
  }
  if (!wanted[1] && !wanted[2]) return {in_grad, w_grad, b_grad};
  if (rows.sizes[0] == 0) {
    for (tensor to : {w_grad, b_grad}) {
      if (to.defined()) fill(c, to, 0);
    }
    return {in_grad, w_grad, b_grad};
  }
  // This call reduces over the normalised rows: its rows are their columns.
  const auto place = [&](const tensor& t) { return t.defined() ? reshaped(t, {1, rows.sizes[1]}) : t; };
  const auto each = [&](const tensor& t) {
    return author::make_view(t, rows.sizes, {1, 0}, author::record_of(t).offset);
  };
  const tensor to_weight = place(w_grad), to_bias = place(b_grad), means = each(m), rstds = each(r);
  run_rows(c, {rowwise::layer_norm_weights, input.dtype(), 0, rows.sizes},
           {written(to_weight), written(to_bias), read(g), read(in), read(means), read(rstds)});
  return {in_grad, w_grad, b_grad};
}

result_meta rms_norm_kernel::meta(std::string_view op, const tensor& input, layer_sizes given_shape,
                                  const std::optional<tensor>& weight, std::optional<double>) {
  const backend_call c{nullptr, op};
  check_layer(c, input, given_shape);
  check_parameter(c, input, given_shape, weight, "weight");
  return dense_meta(input.sizes(), input.dtype(), input);
}
void rms_norm_kernel::run(backend_call c, const tensor& input, layer_sizes given_shape,
                          const std::optional<tensor>& weight, std::optional<double> eps, const tensor& out) {
  if (out.numel() == 0) return;
  const layer_rows rows(input, given_shape);
  const tensor in = rows.of(c, input), w = rows.repeated(c, weight), to = reshaped(out, rows.sizes), none;
  run_rows(c, {rowwise::rms_norm, input.dtype(), 1, rows.sizes}, {written(to), written(none), read(in), read(w)},
           {eps.value_or(step_of(input.dtype()))});
}

namespace {

tensor layer_norm(const tensor& input, layer_sizes given_shape, const std::optional<tensor>& weight,
                  const std::optional<tensor>& bias, double eps, bool) {
  layer_norm_kernel::meta(aten::layer_norm.name(), input, given_shape, weight, bias, eps);
  return std::get<0>(aten::native_layer_norm(input, given_shape, weight, bias, eps));
}

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
  if (wanted[1]) std::get<1>(all) = to(over.over_layers(g * unit), input.dtype());
  if (wanted[2]) std::get<2>(all) = to(over.over_layers(g), input.dtype());
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

// The gradient rule of input / sqrt(mean(input^2) + eps) * weight, composed of differentiable operators.
struct rms_norm_gradient {
  saved_tensor input, weight;
  std::size_t normalised;
  double eps;
  static rms_norm_gradient save(T x, layer_sizes given_shape, const optional_tensor& w, std::optional<double> eps, T) {
    return {saved_tensor(x), saved_tensor(w), given_shape.size(), eps.value_or(step_of(x.dtype()))};
  }
  grads2 backward(T grad, wants2 wanted) const {
    const tensor given = input.get(), w = weight.get();
    const layer_dims over(given, normalised);
    const dtype type = widened(given.dtype());
    const tensor x = to(given, type), g = to(grad, type);
    const tensor scale = aten::rsqrt(over.mean(x * x) + eps), unit = x * scale;
    grads2 all;
    if (wanted[0]) {
      const tensor of_unit = w.defined() ? g * to(w, type) : g;
      all[0] = scale * (of_unit - unit * over.mean(of_unit * unit));
    }
    if (wanted[1]) all[1] = over.over_layers(g * unit);
    return all;
  }
};

constexpr author::kernel_row gradients[] = {
    gradient_row<aten::native_layer_norm, layer_norm_gradient>(),
    author::row<&layer_norm_backward>(aten::native_layer_norm_backward, key::Autograd),
    gradient_row<aten::rms_norm, rms_norm_gradient>(),
};

}  // namespace

void register_layer_norm() {
  register_forms<layer_norm_forms>();
  author::register_rows(gradients);
  register_composite<&layer_norm, aten::layer_norm>();
}

}  // namespace topbit::detail
