// Kernels of the family `layer_norm`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

namespace {

// How many dimensions are in front of the normalised ones.
std::size_t check_layer(backend_call c, const tensor& input, layer_sizes shape) {
  check_defined(c, input);
  check_floating(c, input);
  const dims wanted = sizes_of(c, shape);
  bool fits = !wanted.empty() && wanted.size() <= input.dim();
  const std::size_t front = fits ? input.dim() - wanted.size() : 0;
  for (std::size_t d = 0; fits && d < wanted.size(); ++d) fits = input.sizes()[front + d] == wanted[d];
  if (!fits) {
    refuse<shape_error>(c, "found " + to_string(input.sizes()) + " and normalized_shape " + to_string(wanted) +
                               ", wanted the sizes of the last dimensions, at least one");
  }
  return front;
}

void check_parameter(backend_call c, const tensor& input, layer_sizes shape, const std::optional<tensor>& t,
                     std::string_view name) {
  if (!is_given(t)) return;
  if (t->sizes() != dims(shape)) {
    refuse<shape_error>(
        c, "found a " + std::string(name) + " " + to_string(t->sizes()) + ", wanted " + to_string(dims(shape)));
  }
  if (t->dtype() != input.dtype()) {
    refuse<dtype_error>(c, "found a " + std::string(name) + " of " + std::string(name_of(t->dtype())) + " for " +
                               describe(input) + ", wanted one dtype");
  }
}

// Rows of all normalised elements.
struct layer_rows {
  dims sizes;
  explicit layer_rows(const tensor& input, layer_sizes shape) : sizes{1, numel(dims(shape))} {
    for (std::size_t d = 0; d + shape.size() < input.dim(); ++d) sizes[0] *= input.sizes()[d];
  }
  tensor of(backend_call c, const tensor& t) const { return reshaped(dense(c, t), sizes); }
  // The same for each row.
  tensor repeated(backend_call c, const std::optional<tensor>& t) const {
    if (!is_given(t)) return {};
    const tensor row = dense(c, *t);
    return author::make_view(row, sizes, {0, 1}, row.record().offset);
  }
  tensor column(const tensor& t) const { return reshaped(t, {sizes[0], 1}); }
};

}  // namespace

std::array<result_meta, 3> layer_norm_rule::meta(std::string_view op, const tensor& input, layer_sizes shape,
                                                 const std::optional<tensor>& weight, const std::optional<tensor>& bias,
                                                 double) {
  const backend_call c{nullptr, op};
  const std::size_t front = check_layer(c, input, shape);
  check_parameter(c, input, shape, weight, "weight");
  check_parameter(c, input, shape, bias, "bias");
  dims statistics = input.sizes();
  for (std::size_t d = front; d < statistics.size(); ++d) statistics[d] = 1;
  return {dense_meta(input.sizes(), input.dtype(), input), dense_meta(statistics, input.dtype(), input),
          dense_meta(statistics, input.dtype(), input)};
}
void layer_norm_rule::run(backend_call c, const tensor& input, layer_sizes shape, const std::optional<tensor>& weight,
                          const std::optional<tensor>& bias, double eps, const tensor& out, const tensor& mean,
                          const tensor& rstd) {
  const layer_rows rows(input, shape);
  const tensor in = rows.of(c, input), w = rows.repeated(c, weight), b = rows.repeated(c, bias);
  const tensor to = reshaped(out, rows.sizes), m = rows.column(mean), r = rows.column(rstd);
  run_rows(c, {rowwise::layer_norm, input.dtype(), 1, rows.sizes},
           {written(to), written(m), written(r), read(in), read(w), read(b)}, {eps});
}

result_meta rms_norm_rule::meta(std::string_view op, const tensor& input, layer_sizes shape,
                                const std::optional<tensor>& weight, std::optional<double>) {
  const backend_call c{nullptr, op};
  check_layer(c, input, shape);
  check_parameter(c, input, shape, weight, "weight");
  return dense_meta(input.sizes(), input.dtype(), input);
}
void rms_norm_rule::run(backend_call c, const tensor& input, layer_sizes shape, const std::optional<tensor>& weight,
                        std::optional<double> eps, const tensor& out) {
  if (out.numel() == 0) return;
  const layer_rows rows(input, shape);
  const double step = input.dtype() == dtype::float64    ? 0x1p-52
                      : input.dtype() == dtype::float32  ? 0x1p-23
                      : input.dtype() == dtype::bfloat16 ? 0x1p-7
                                                         : 0x1p-10;
  const tensor in = rows.of(c, input), w = rows.repeated(c, weight), to = reshaped(out, rows.sizes), none;
  run_rows(c, {rowwise::rms_norm, input.dtype(), 1, rows.sizes}, {written(to), written(none), read(in), read(w)},
           {eps.value_or(step)});
}

namespace {

tensor layer_norm(const tensor& input, layer_sizes shape, const std::optional<tensor>& weight,
                  const std::optional<tensor>& bias, double eps, bool) {
  layer_norm_rule::meta(ops::layer_norm.name(), input, shape, weight, bias, eps);
  return std::get<0>(ops::native_layer_norm(input, shape, weight, bias, eps));
}

}  // namespace

void register_layer_norm() {
  register_forms<layer_norm_forms>();
  register_composite<&layer_norm, ops::layer_norm>();
}

}  // namespace topbit::detail
