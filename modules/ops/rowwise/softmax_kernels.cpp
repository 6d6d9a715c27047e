// Kernels of the families `softmax` and `scan`.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :registration.composite;
import :rowwise.softmax_kernels;

namespace topbit::detail {

void check_floating(backend_call c, const tensor& t) {
  if (is_floating(t.dtype())) return;
  refuse<dtype_error>(c, "found " + std::string(name_of(t.dtype())) + ", wanted a floating type");
}

namespace {

bool is_half(dtype t) { return t == dtype::float16 || t == dtype::bfloat16; }

}  // namespace

result_meta softmax_meta(std::string_view op, const tensor& self, std::int64_t dim, bool half_to_float) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_floating(c, self);
  dim_of(c, dim, self);
  if (half_to_float && !is_half(self.dtype())) {
    refuse<dtype_error>(c, "found half_to_float=True for " + describe(self) + ", wanted float16 or bfloat16");
  }
  return dense_meta(self.sizes(), half_to_float ? dtype::float32 : self.dtype(), self);
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

result_meta logcumsumexp_kernel::meta(std::string_view op, const tensor& self, std::int64_t dim) {
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

// Calls the kernel with the tensor in this dtype, converted there if the kernel does that.
template <const auto& Kernel>
tensor softmax_in(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  if (type == dtype::float32 && is_half(self.dtype())) return Kernel(self, dim, true);
  return Kernel(to(self, type.value_or(self.dtype())), dim, false);
}
tensor softmax(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  return softmax_in<aten::_softmax>(self, dim, type);
}
tensor log_softmax(const tensor& self, std::int64_t dim, std::optional<dtype> type) {
  return softmax_in<aten::_log_softmax>(self, dim, type);
}

// The tensor with others concatenated before and after it along `d`.
tensor joined(std::size_t d, const std::optional<tensor>& before, const tensor& self,
              const std::optional<tensor>& behind) {
  std::vector<tensor> parts;
  if (is_given(before)) parts.push_back(*before);
  parts.push_back(self);
  if (is_given(behind)) parts.push_back(*behind);
  return parts.size() == 1 ? self : aten::cat(parts, static_cast<std::int64_t>(d));
}

tensor diff(const tensor& self, std::int64_t n, std::int64_t dim, const std::optional<tensor>& before,
            const std::optional<tensor>& behind) {
  constexpr backend_call c{nullptr, aten::diff.name()};
  author::check_one_device(aten::diff, self, before, behind);
  check_defined(c, self);
  if (self.dim() == 0) refuse<shape_error>(c, "found a zero-dimensional tensor, wanted at least one dimension");
  if (n < 0) refuse<error>(c, "found n " + std::to_string(n) + ", wanted 0 or more");
  const std::size_t d = dim_of(c, dim, self);
  for (const std::optional<tensor>& end : {before, behind}) {
    if (!is_given(end)) continue;
    bool fits = end->dim() == self.dim();
    for (std::size_t k = 0; fits && k < self.sizes().size(); ++k) fits = k == d || end->sizes()[k] == self.sizes()[k];
    if (fits) continue;
    refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and " + to_string(end->sizes()) +
                               " in prepend or append, wanted the same sizes except dimension " + std::to_string(d));
  }
  if (n == 0) return aten::clone(self);
  tensor now = joined(d, before, self, behind);
  // After this many differences no elements are left.
  for (std::int64_t i = std::min(n, now.sizes()[d]); i > 0; --i) {
    const tensor next = aten::slice_Tensor(now, dim, 1, std::nullopt), last = aten::slice_Tensor(now, dim, 0, -1);
    now = now.dtype() == dtype::boolean ? aten::logical_xor(next, last) : next - last;
  }
  return now.same_as(self) ? aten::clone(self) : now;
}

}  // namespace

void register_softmax() {
  register_forms(softmax_forms);
  register_composite<&softmax, aten::softmax_int>();
  register_composite<&log_softmax, aten::log_softmax_int>();
  register_out_variants<aten::softmax_int, aten::softmax_int_out>();
  register_out_variants<aten::log_softmax_int, aten::log_softmax_int_out>();
}

void register_scan() {
  register_forms(scan_forms);
  register_composite<&diff, aten::diff>();
  register_out_variants<aten::diff, aten::diff_out>();
}

}  // namespace topbit::detail
