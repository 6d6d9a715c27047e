// Kernels of the families `softmax` and `scan`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

void check_floating(backend_call c, const tensor& t) {
  if (is_floating(t.dtype())) return;
  refuse<dtype_error>(c, "found " + std::string(name_of(t.dtype())) + ", wanted a floating type");
}

result_meta softmax_meta(std::string_view op, const tensor& self, std::int64_t dim, bool half_to_float) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_floating(c, self);
  dim_of(c, dim, self);
  if (half_to_float) refuse<error>(c, "found half_to_float=True, wanted False; convert with to() first");
  return dense_meta(self.sizes(), self.dtype(), self);
}

result_meta softmax_backward_meta(std::string_view op, const tensor& grad, const tensor& output, std::int64_t dim,
                                  dtype input) {
  const backend_call c{nullptr, op};
  check_defined(c, grad);
  check_defined(c, output);
  check_floating(c, output);
  dim_of(c, dim, output);
  if (grad.sizes() != output.sizes()) {
    refuse<shape_error>(c, "found a gradient " + describe(grad) + " for a result " + describe(output));
  }
  if (grad.dtype() != output.dtype() || input != output.dtype()) {
    refuse<dtype_error>(c, "found a gradient " + describe(grad) + " for a result " + describe(output) +
                               " of an input of " + std::string(name_of(input)) + ", wanted one dtype");
  }
  return dense_meta(output.sizes(), output.dtype(), output);
}

void run_along(backend_call c, rowwise code, std::int64_t dim, std::span<const tensor* const> in, const tensor& out) {
  if (out.numel() == 0) return;
  const row_call call{code, in[0]->dtype(), dim_of(c, dim, out), out.sizes()};
  if (in.size() == 1) return run_rows(c, call, {written(out), read(*in[0])});
  run_rows(c, call, {written(out), read(*in[0]), read(*in[1])});
}

result_meta cumulative_meta(std::string_view op, const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  dim_of(c, dim, self);
  const dtype wanted = type.value_or(to_summed(self.dtype()));
  if (wanted == dtype::boolean) refuse<dtype_error>(c, "found dtype bool, wanted a number");
  return dense_meta(self.sizes(), wanted, self);
}

void run_cumulative(backend_call c, rowwise code, const tensor& self, std::int64_t dim, const tensor& out) {
  if (out.numel() == 0) return;
  run_rows(c, {code, out.dtype(), dim_of(c, dim, self), self.sizes()}, {written(out), read(self)});
}

result_meta logcumsumexp_rule::meta(std::string_view op, const tensor& self, std::int64_t dim) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_floating(c, self);
  dim_of(c, dim, self);
  return dense_meta(self.sizes(), self.dtype(), self);
}

std::array<result_meta, 2> extreme_meta(std::string_view op, const tensor& self, std::int64_t dim) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  dim_of(c, dim, self);
  return {dense_meta(self.sizes(), self.dtype(), self), dense_meta(self.sizes(), dtype::int64, self)};
}

void run_extreme(backend_call c, rowwise code, const tensor& self, std::int64_t dim, const tensor& values,
                 const tensor& indices) {
  if (values.numel() == 0) return;
  run_rows(c, {code, self.dtype(), dim_of(c, dim, self), self.sizes()},
           {written(values), written(indices), read(self)});
}

namespace {

tensor softmax(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  return ops::softmax_forward(to(self, type.value_or(self.dtype())), dim, false);
}
tensor log_softmax(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  return ops::log_softmax_forward(to(self, type.value_or(self.dtype())), dim, false);
}

using author::autograd_kernel;
using author::row;

constexpr author::kernel_row gradients[] = {
    row<&autograd_kernel<ops::softmax_forward, softmax_rule>::run>(ops::softmax_forward, key::Autograd),
    row<&autograd_kernel<ops::log_softmax_forward, log_softmax_rule>::run>(ops::log_softmax_forward, key::Autograd),
};

}  // namespace

void register_softmax() {
  register_forms<softmax_forms>();
  register_composite<&softmax, ops::softmax>();
  register_composite<&log_softmax, ops::log_softmax>();
  author::register_rows(gradients);
}

void register_scan() { register_forms<scan_forms>(); }

}  // namespace topbit::detail
