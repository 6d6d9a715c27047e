module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :convolution.pool_kernels;
import :linalg.matmul_kernels;
import :registration.composite;
import :rowwise.softmax_kernels;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(pool_code::max_pool_backward) == TB_MAX_POOL_BACKWARD);
static_assert(static_cast<int>(pool_code::avg_pool) == TB_AVG_POOL);
static_assert(static_cast<int>(pool_code::count) == TB_POOL_COUNT);

namespace {

std::array<std::int64_t, 2> pair_of(backend_call c, std::string_view name, sizes_view given, std::int64_t least) {
  if (given.size() != 1 && given.size() != 2) {
    refuse<error>(c, "found " + std::string(name) + " " + list_text(given) + ", wanted one number or two");
  }
  const std::array<std::int64_t, 2> out{given.front(), given.back()};
  if (out[0] >= least && out[1] >= least) return out;
  refuse<error>(
      c, "found " + std::string(name) + " " + list_text(given) + ", wanted " + std::to_string(least) + " or more");
}

void check_image(backend_call c, const tensor& self) {
  check_defined(c, self);
  const std::size_t rank = self.dim();
  if ((rank == 3 || rank == 4) && self.size(-1) > 0 && self.size(-2) > 0 && self.size(-3) > 0) return;
  refuse<shape_error>(c, "found " + to_string(self.sizes()) +
                             ", wanted [n, channels, height, width] or [channels, height, width], only n being 0");
}

// Everything in tb_pool except the data.
tb_pool windows_of(backend_call c, tb_pool_op op, const tensor& self, sizes_view kernel, sizes_view stride,
                   sizes_view padding, sizes_view dilation, bool ceil) {
  check_image(c, self);
  const auto kernels = pair_of(c, "kernel_size", kernel, 1);
  const auto strides = pair_of(c, "stride", stride.empty() ? kernel : stride, 1);
  const auto paddings = pair_of(c, "padding", padding, 0), dilations = pair_of(c, "dilation", dilation, 1);
  tb_pool p{};
  p.height = self.size(-2);
  p.width = self.size(-1);
  p.images = self.dim() == 4 ? self.sizes()[0] * self.sizes()[1] : self.sizes()[0];
  p.op = op;
  for (std::size_t i = 0; i < 2; ++i) {
    p.kernel[i] = kernels[i];
    p.stride[i] = strides[i];
    p.padding[i] = paddings[i];
    p.dilation[i] = dilations[i];
    if (paddings[i] > kernels[i] / 2) {
      refuse<error>(c, "found padding " + list_text(padding) + " for kernel_size " + list_text(kernel) +
                           ", wanted at most half of it");
    }
    const std::int64_t length = i == 0 ? p.height : p.width;
    const std::int64_t padded = sum_of(c, "padded size", length, product_of(c, "padded size", paddings[i], 2));
    const std::int64_t room = padded - 1 - product_of(c, "reach of the kernel", dilations[i], kernels[i] - 1);
    // With ceil the last window may be partial, but must begin in the image or the padding before it.
    const std::int64_t last = ceil ? sum_of(c, "positions of windows", room, strides[i] - 1) : room;
    std::int64_t count = last < 0 ? 0 : last / strides[i] + 1;
    if (ceil && (count - 1) * strides[i] >= length + paddings[i]) --count;
    if (count < 1) {
      refuse<shape_error>(c, "found " + to_string(self.sizes()) + " and kernel_size " + list_text(kernel) +
                                 ", wanted windows within the padded image");
    }
    (i == 0 ? p.out_height : p.out_width) = count;
  }
  return p;
}

shape result_sizes(const tensor& self, const tb_pool& p) {
  shape sizes = self.sizes();
  sizes[self.dim() - 2] = p.out_height;
  sizes[self.dim() - 1] = p.out_width;
  return sizes;
}

tb_pool averages_of(backend_call c, tb_pool_op op, const tensor& self, sizes_view kernel, sizes_view stride,
                    sizes_view padding, bool ceil, bool count_padding, const divisor_override& divisor) {
  constexpr std::array<std::int64_t, 1> one{1};
  if (divisor == 0) refuse<error>(c, "found divisor_override 0, wanted None or another number");
  tb_pool p = windows_of(c, op, self, kernel, stride, padding, one, ceil);
  p.divisor = divisor.value_or(0);
  p.count_padding = count_padding ? 1 : 0;
  return p;
}

// Runs `p` on dense tensors in the compute type.
void run_pool(backend_call c, tb_pool p, const tensor& in, const tensor& out, const tensor* indices) {
  const dtype type = product_type(out.dtype());
  const tensor from = dense(c, in_dtype(c, in, type));
  const auto destination = [](const tensor& t, dtype wanted) {
    return t.dtype() == wanted && t.is_contiguous() ? t : author::make_tensor(t.sizes(), wanted, t.device());
  };
  const tensor to = destination(out, type);
  tensor index;
  const bool writes_index = p.op == TB_MAX_POOL;
  if (indices != nullptr) index = writes_index ? destination(*indices, dtype::int64) : dense(c, *indices);
  check_storage(c, from);
  check_storage(c, to);
  p.in = from.data();
  p.out = to.data();
  p.index = indices == nullptr ? nullptr : static_cast<std::int64_t*>(index.data());
  p.dtype = static_cast<int>(type);
  check_status(c, run_kernel(c, to, c.table->pool, &p), in);
  if (!to.same_as(out)) copy_result(out, to);
  if (writes_index && !index.same_as(*indices)) copy_result(*indices, index);
}

void check_gradient(backend_call c, const tensor& gradient, const tensor& self, const shape& sizes) {
  check_defined(c, gradient);
  check_floating(c, self);
  const auto found = [&] {
    return "found a gradient " + describe(gradient) + ", wanted " + std::string(name_of(self.dtype())) + " " +
           to_string(sizes);
  };
  if (gradient.sizes() != sizes) refuse<shape_error>(c, found());
  if (gradient.dtype() != self.dtype()) refuse<dtype_error>(c, found());
}

tb_pool adaptive_of(const tensor& self, tb_pool_op op, std::int64_t height, std::int64_t width) {
  tb_pool p{};
  p.op = op;
  p.height = self.size(-2);
  p.width = self.size(-1);
  p.images = self.dim() == 4 ? self.sizes()[0] * self.sizes()[1] : self.sizes()[0];
  p.out_height = height;
  p.out_width = width;
  return p;
}

}  // namespace

std::array<result_meta, 2> max_pool_kernel::meta(std::string_view op, const tensor& self, sizes_view kernel,
                                                 sizes_view stride, sizes_view padding, sizes_view dilation,
                                                 bool ceil) {
  const backend_call c{nullptr, op};
  const tb_pool p = windows_of(c, TB_MAX_POOL, self, kernel, stride, padding, dilation, ceil);
  if (self.dtype() == dtype::boolean) refuse<dtype_error>(c, "found bool, wanted a number; convert it with to()");
  const shape sizes = result_sizes(self, p);
  return {result_meta{sizes, self.dtype(), self.device(), {}}, result_meta{sizes, dtype::int64, self.device(), {}}};
}
void max_pool_kernel::run(backend_call c, const tensor& self, sizes_view kernel, sizes_view stride, sizes_view padding,
                          sizes_view dilation, bool ceil, const tensor& out, const tensor& indices) {
  if (out.numel() == 0) return;
  run_pool(c, windows_of(c, TB_MAX_POOL, self, kernel, stride, padding, dilation, ceil), self, out, &indices);
}

result_meta max_pool_backward_kernel::meta(std::string_view op, const tensor& gradient, const tensor& self,
                                           sizes_view kernel, sizes_view stride, sizes_view padding,
                                           sizes_view dilation, bool ceil, const tensor& indices) {
  const backend_call c{nullptr, op};
  const tb_pool p = windows_of(c, TB_MAX_POOL_BACKWARD, self, kernel, stride, padding, dilation, ceil);
  const shape sizes = result_sizes(self, p);
  check_gradient(c, gradient, self, sizes);
  check_defined(c, indices);
  const auto found = [&] { return "found indices " + describe(indices) + ", wanted int64 " + to_string(sizes); };
  if (indices.sizes() != sizes) refuse<shape_error>(c, found());
  if (indices.dtype() != dtype::int64) refuse<dtype_error>(c, found());
  return {self.sizes(), self.dtype(), self.device(), {}};
}
void max_pool_backward_kernel::run(backend_call c, const tensor& gradient, const tensor& self, sizes_view kernel,
                                   sizes_view stride, sizes_view padding, sizes_view dilation, bool ceil,
                                   const tensor& indices, const tensor& out) {
  if (out.numel() == 0) return;
  check_storage(c, indices);
  run_pool(c, windows_of(c, TB_MAX_POOL_BACKWARD, self, kernel, stride, padding, dilation, ceil), gradient, out,
           &indices);
}

result_meta average_pool_kernel::meta(std::string_view op, const tensor& self, sizes_view kernel, sizes_view stride,
                                      sizes_view padding, bool ceil, bool count_padding,
                                      const divisor_override& divisor) {
  const backend_call c{nullptr, op};
  const tb_pool p = averages_of(c, TB_AVG_POOL, self, kernel, stride, padding, ceil, count_padding, divisor);
  check_floating(c, self);
  return {result_sizes(self, p), self.dtype(), self.device(), {}};
}
void average_pool_kernel::run(backend_call c, const tensor& self, sizes_view kernel, sizes_view stride,
                              sizes_view padding, bool ceil, bool count_padding, const divisor_override& divisor,
                              const tensor& out) {
  if (out.numel() == 0) return;
  run_pool(c, averages_of(c, TB_AVG_POOL, self, kernel, stride, padding, ceil, count_padding, divisor), self, out,
           nullptr);
}

result_meta average_pool_backward_kernel::meta(std::string_view op, const tensor& gradient, const tensor& self,
                                               sizes_view kernel, sizes_view stride, sizes_view padding, bool ceil,
                                               bool count_padding, const divisor_override& divisor) {
  const backend_call c{nullptr, op};
  const tb_pool p = averages_of(c, TB_AVG_POOL_BACKWARD, self, kernel, stride, padding, ceil, count_padding, divisor);
  check_gradient(c, gradient, self, result_sizes(self, p));
  return {self.sizes(), self.dtype(), self.device(), {}};
}
void average_pool_backward_kernel::run(backend_call c, const tensor& gradient, const tensor& self, sizes_view kernel,
                                       sizes_view stride, sizes_view padding, bool ceil, bool count_padding,
                                       const divisor_override& divisor, const tensor& out) {
  if (out.numel() == 0) return;
  run_pool(c, averages_of(c, TB_AVG_POOL_BACKWARD, self, kernel, stride, padding, ceil, count_padding, divisor),
           gradient, out, nullptr);
}

result_meta adaptive_pool_kernel::meta(std::string_view op, const tensor& self, sizes_view output_size) {
  const backend_call c{nullptr, op};
  check_image(c, self);
  check_floating(c, self);
  const auto [height, width] = pair_of(c, "output_size", output_size, 0);
  shape sizes = self.sizes();
  sizes[self.dim() - 2] = height;
  sizes[self.dim() - 1] = width;
  return {sizes, self.dtype(), self.device(), {}};
}
void adaptive_pool_kernel::run(backend_call c, const tensor& self, sizes_view, const tensor& out) {
  if (out.numel() == 0) return;
  run_pool(c, adaptive_of(self, TB_AVG_POOL, out.size(-2), out.size(-1)), self, out, nullptr);
}

result_meta adaptive_pool_backward_kernel::meta(std::string_view op, const tensor& gradient, const tensor& self) {
  const backend_call c{nullptr, op};
  check_image(c, self);
  check_defined(c, gradient);
  shape sizes = self.sizes();
  if (gradient.dim() == self.dim()) {
    sizes[self.dim() - 2] = gradient.size(-2);
    sizes[self.dim() - 1] = gradient.size(-1);
  }
  check_gradient(c, gradient, self, sizes);
  return {self.sizes(), self.dtype(), self.device(), {}};
}
void adaptive_pool_backward_kernel::run(backend_call c, const tensor& gradient, const tensor& self, const tensor& out) {
  if (out.numel() == 0) return;
  run_pool(c, adaptive_of(self, TB_AVG_POOL_BACKWARD, gradient.size(-2), gradient.size(-1)), gradient, out, nullptr);
}

}  // namespace topbit::detail
