// Kernels of the family `layer_norm`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :norm.layer_norm_kernels;
import :registration.composite;

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
  const bool is_low = input.dtype() == dtype::float16 || input.dtype() == dtype::bfloat16;
  if (t->dtype() == input.dtype() || (is_low && t->dtype() == dtype::float32)) return;
  refuse<dtype_error>(c, "found a " + std::string(name) + " of " + std::string(name_of(t->dtype())) + " for " +
                             describe(input) + ", wanted one dtype" + (is_low ? ", or float32" : ""));
}

void check_gradient(backend_call c, const tensor& grad, const tensor& input) {
  check_defined(c, grad);
  const auto other = [&] {
    return "found a gradient " + describe(grad) + " for " + describe(input) + ", wanted the same";
  };
  if (grad.sizes() != input.sizes()) refuse<shape_error>(c, other());
  if (grad.dtype() != input.dtype()) refuse<dtype_error>(c, other());
}
void check_mask(backend_call c, std::span<const bool> wanted, std::size_t count) {
  if (wanted.size() == count) return;
  refuse<error>(c,
                "found " + std::to_string(wanted.size()) + " elements of output_mask, wanted " + std::to_string(count));
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

}  // namespace

void check_rms_backward(backend_call c, const tensor& grad, const tensor& input, layer_sizes given_shape,
                        const std::optional<tensor>& weight, std::span<const bool> wanted) {
  check_layer(c, input, given_shape);
  check_parameter(c, input, given_shape, weight, "weight");
  check_gradient(c, grad, input);
  check_mask(c, wanted, 2);
}

dtype type_of_parameters(const tensor& input, const std::optional<tensor>& weight, const std::optional<tensor>& bias) {
  dtype type = input.dtype();
  for (const std::optional<tensor>& t : {weight, bias}) {
    if (is_given(t)) type = promote(type, t->dtype());
  }
  return type;
}

double step_of(dtype floating) { return floating == dtype::float64 ? 0x1p-52 : 0x1p-23; }

std::array<result_meta, 3> layer_norm_kernel::meta(std::string_view op, const tensor& input, layer_sizes given_shape,
                                                   const std::optional<tensor>& weight,
                                                   const std::optional<tensor>& bias, double) {
  const backend_call c{nullptr, op};
  const std::size_t front = check_layer(c, input, given_shape);
  check_parameter(c, input, given_shape, weight, "weight");
  check_parameter(c, input, given_shape, bias, "bias");
  shape statistics = input.sizes();
  for (std::size_t d = front; d < statistics.size(); ++d) statistics[d] = 1;
  const dtype type = type_of_parameters(input, weight, bias);
  return {dense_meta(input.sizes(), input.dtype(), input), dense_meta(statistics, type, input),
          dense_meta(statistics, type, input)};
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
  check_defined(c, mean);
  check_defined(c, rstd);
  check_gradient(c, grad, input);
  const layer_rows rows(input, given_shape);
  const auto other_moments = [&] {
    return "found means " + describe(mean) + " and rstd " + describe(rstd) + ", wanted a floating number for each of " +
           std::to_string(rows.sizes[0]) + " rows";
  };
  if (mean.numel() != rows.sizes[0] || rstd.numel() != rows.sizes[0]) refuse<shape_error>(c, other_moments());
  if (!is_floating(mean.dtype()) || !is_floating(rstd.dtype())) refuse<dtype_error>(c, other_moments());
  check_mask(c, wanted, 3);
  const auto made = [&](bool is_wanted, const shape& sizes, dtype type) {
    return is_wanted ? author::make_tensor(sizes, type, input.device()) : tensor();
  };
  const dtype type = type_of_parameters(input, weight, bias);
  const tensor in_grad = made(wanted[0], input.sizes(), input.dtype()),
               w_grad = made(wanted[1], shape(given_shape), type), b_grad = made(wanted[2], shape(given_shape), type);
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

std::tuple<tensor, tensor> rms_norm_backward_kernel::run(backend_call c, const tensor& grad, const tensor& input,
                                                         layer_sizes given_shape, const std::optional<tensor>& weight,
                                                         double eps, std::span<const bool> wanted) {
  check_rms_backward(c, grad, input, given_shape, weight, wanted);
  const dtype type = type_of_parameters(input, weight, std::nullopt), computed = widened(input.dtype());
  const auto made = [&](bool is_wanted, const shape& sizes, dtype of) {
    return is_wanted ? author::make_tensor(sizes, of, input.device()) : tensor();
  };
  const tensor in_grad = made(wanted[0], input.sizes(), input.dtype());
  tensor w_grad = made(wanted[1], shape(given_shape), type);
  if (c.table == nullptr || (!wanted[0] && !wanted[1])) return {in_grad, w_grad};
  const layer_rows rows(input, given_shape);
  if (rows.sizes[0] == 0) {
    if (w_grad.defined()) fill(c, w_grad, 0);
    return {in_grad, w_grad};
  }
  const tensor g = rows.of(c, grad), in = rows.of(c, input), w = rows.repeated(c, weight),
               rstd = made(wanted[1], {rows.sizes[0], 1}, computed),
               to = in_grad.defined() ? reshaped(in_grad, rows.sizes) : in_grad;
  run_rows(c, {rowwise::rms_norm_backward, input.dtype(), 1, rows.sizes},
           {written(to), written(rstd), read(g), read(in), read(w)}, {eps});
  if (!wanted[1]) return {in_grad, w_grad};
  tensor zero = author::make_tensor({1}, computed, input.device());
  fill(c, zero, 0);
  const auto repeated = [&](const tensor& t, const shape& strides) {
    return author::make_view(t, rows.sizes, strides, author::record_of(t).offset);
  };
  const tensor to_weight = reshaped(w_grad, {1, rows.sizes[1]}), none, means = repeated(zero, {0, 0}),
               rstds = repeated(rstd, {1, 0});
  run_rows(c, {rowwise::layer_norm_weights, input.dtype(), 0, rows.sizes},
           {written(to_weight), written(none), read(g), read(in), read(means), read(rstds)});
  return {in_grad, w_grad};
}

namespace {

std::tuple<tensor, tensor> rms_norm_gradients(const tensor& grad, const tensor& input, layer_sizes given_shape,
                                              const std::optional<tensor>& weight, double eps,
                                              std::span<const bool> wanted) {
  author::check_one_device(native::rms_norm_backward, grad, input, weight);
  return composed_rms_norm_backward(grad, input, given_shape, weight, eps, wanted);
}

tensor layer_norm(const tensor& input, layer_sizes given_shape, const std::optional<tensor>& weight,
                  const std::optional<tensor>& bias, double eps, bool) {
  layer_norm_kernel::meta(aten::layer_norm.name(), input, given_shape, weight, bias, eps);
  return std::get<0>(aten::native_layer_norm(input, given_shape, weight, bias, eps));
}

}  // namespace

void register_layer_norm() {
  register_forms(layer_norm_forms);
  register_composite<&layer_norm, aten::layer_norm>();
  static constexpr author::kernel_row composed[] = {
      caller_row<&rms_norm_gradients, native::rms_norm_backward>(key::CompositeExplicitAutograd)};
  author::register_rows(composed);
}

}  // namespace topbit::detail
