// Convolution and pooling.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;
import :rows;
import :operators;
import :windows;

namespace topbit::onednn {

namespace {

using optional_tensor = std::optional<tensor>;
using numbers = std::span<const std::int64_t>;

// Kept by kernels that outlive the call's arguments.
struct window_numbers {
  shape stride, padding, dilation;
};

// `windows` is 0 for operators of any number. Undefined where oneDNN does not compute it.
tensor convolution_of(const tensor& input, const tensor& weight, const optional_tensor& bias, const window_numbers& n,
                      std::int64_t groups, int windows, bool relu) {
  const dtype type = input.dtype();
  if (!is_float(type) || !is_simple(bias, type)) return {};
  const std::optional<library::window> w =
      window_of(input, weight, type, type, n.stride, n.padding, n.dilation, groups);
  if (!w.has_value() || (windows != 0 && windows != w->dims)) return {};
  if (is_given(bias) && bias->sizes() != shape{weight.sizes()[0]}) return {};
  const operand x(input);
  weight_operand filter(weight);
  std::optional<operand> b;
  if (is_given(bias)) b.emplace(*bias);
  array_ptr result = library::convolve(x.get(), filter.get(), b.has_value() ? &b->get() : nullptr, *w, groups, relu, {},
                                       filter.slot());
  filter.keep();
  return result != nullptr ? wrapped(std::move(result)) : tensor();
}

gradient_function convolution_gradient(const window_numbers& n, std::int64_t groups) {
  return [n, groups](std::span<const tensor> in, const tensor&, const tensor& g) {
    const std::array<bool, 3> mask{requires_grad(in[0]), requires_grad(in[1]), in.size() == 3 && requires_grad(in[2])};
    const shape none(static_cast<std::int64_t>(n.stride.size()), 0);
    const shape bias{in[1].sizes()[0]};
    auto [of_input, of_weight, of_bias] =
        aten::convolution_backward(g, dense(in[0]), dense(in[1]), std::optional(std::span<const std::int64_t>(bias)),
                                   n.stride, n.padding, n.dilation, false, none, groups, std::span<const bool>(mask));
    std::vector<tensor> found{std::move(of_input), std::move(of_weight)};
    if (in.size() == 3) found.push_back(std::move(of_bias));
    return found;
  };
}

template <const auto& Op>
constexpr int windows_of = &Op == static_cast<const void*>(&aten::conv1d)   ? 1
                           : &Op == static_cast<const void*>(&aten::conv2d) ? 2
                           : &Op == static_cast<const void*>(&aten::conv3d) ? 3
                                                                            : 0;

// Op(input, weight, bias, stride, padding, dilation, groups), by oneDNN or on strided copies.
template <const auto& Op>
tensor convolution(const tensor& input, const tensor& weight, const optional_tensor& bias, numbers stride,
                   numbers padding, numbers dilation, std::int64_t groups) {
  constexpr bool relu = windows_of<Op> == 0;
  author::check_one_device(Op, input, weight, bias);
  const window_numbers n{shape(stride), shape(padding), shape(dilation)};
  gradient_function gradient;
  if (!relu && input.dim() == weight.dim() && records(input, weight, bias)) gradient = convolution_gradient(n, groups);
  return computed<Op>(
      product_inputs(input, weight, bias),
      [&](std::span<const tensor> in) {
        return convolution_of(in[0], in[1], bias_in(in), n, groups, windows_of<Op>, relu);
      },
      [=](std::span<const tensor> in) {
        return Op(in[0], in[1], bias_in(in), n.stride, n.padding, n.dilation, groups);
      },
      std::move(gradient));
}

// The same of the operators that have more arguments, or fewer.
tensor any_convolution(const tensor& input, const tensor& weight, const optional_tensor& bias, numbers stride,
                       numbers padding, numbers dilation, bool is_transposed, numbers output_padding,
                       std::int64_t groups) {
  if (!is_transposed && input.dim() == 3) return topbit::conv1d(input, weight, bias, stride, padding, dilation, groups);
  if (!is_transposed && input.dim() == 4) return topbit::conv2d(input, weight, bias, stride, padding, dilation, groups);
  if (!is_transposed && input.dim() == 5) return topbit::conv3d(input, weight, bias, stride, padding, dilation, groups);
  return blocked(in_dense<aten::convolution>(input, weight, bias, stride, padding, dilation, is_transposed,
                                             output_padding, groups));
}
tensor convolve(const tensor& input, const tensor& weight, numbers stride, numbers padding, numbers dilation,
                std::int64_t groups) {
  return any_convolution(input, weight, {}, stride, padding, dilation, false, {}, groups);
}

tensor convolution_then_relu(const tensor& input, const tensor& weight, const optional_tensor& bias, numbers stride,
                             numbers padding, numbers dilation, std::int64_t groups) {
  const std::int64_t none[] = {0};
  return topbit::relu(topbit::convolution(input, weight, bias, stride, padding, dilation, false, none, groups));
}

tensor packed(const tensor& weight, numbers input_size, numbers stride, numbers padding, numbers dilation,
              std::int64_t groups) {
  constexpr std::string_view op = native::pack_weight_convolution.name();
  const dtype type = weight.dtype();
  std::optional<library::window> w;
  if (is_float(type) && is_simple(weight, type) && input_size.size() == static_cast<std::size_t>(weight.dim())) {
    w = window_of(shape(input_size), weight, stride, padding, dilation, groups);
  }
  if (!w.has_value()) {
    throw bad_argument(std::string(op) + ": found a weight " + to_string(weight.sizes()) + " of " +
                           std::string(name_of(type)) + " for an input " + to_string(shape(input_size)) +
                           ", wanted the arguments of a convolution of float32 or bfloat16 on the CPU",
                       std::string(op));
  }
  const tensor plain = is_blocked(weight) ? to_dense(detach(weight)) : detach(weight);
  const operand own(plain);
  array_ptr a = library::packed_for(own.get(), element_of(type), sizes_for(shape(input_size)), *w, groups);
  return a != nullptr ? wrapped(std::move(a), weight.sizes()) : to_mkldnn(plain);
}

// ---------------------------------------------------------------------------------------------------------- pooling

struct pool_numbers {
  shape size, stride, padding, dilation;
  bool ceil;
};

std::optional<library::window> pool_window(const tensor& x, const pool_numbers& n, std::array<std::int64_t, 2>& out) {
  if (!is_simple(x, x.dtype()) || x.dim() != 4) return std::nullopt;
  library::window w;
  w.dims = 2;
  const shape stride = n.stride.empty() ? n.size : n.stride;
  if (!expand_numbers(n.size, 2, 1, w.size) || !expand_numbers(stride, 2, 1, w.stride) ||
      !expand_numbers(n.padding, 2, 0, w.padding) || !expand_numbers(n.dilation, 2, 1, w.dilation)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t room = x.sizes()[i + 2] + 2 * w.padding[i] - w.dilation[i] * (w.size[i] - 1) - 1;
    if (room < 0 || 2 * w.padding[i] > w.size[i]) return std::nullopt;
    out[i] = room / w.stride[i] + 1;
    // A window more, unless it begins behind the image.
    if (n.ceil && room % w.stride[i] != 0 && out[i] * w.stride[i] < x.sizes()[i + 2] + w.padding[i]) ++out[i];
  }
  return w;
}

tensor pooled(library::pooling how, const tensor& x, const pool_numbers& n) {
  std::array<std::int64_t, 2> out{};
  const std::optional<library::window> w = pool_window(x, n, out);
  if (!w.has_value() || (how != library::pooling::max && !is_float(x.dtype()))) return {};
  array_ptr a = library::pool(how, array_of(x), *w, out.data());
  return a != nullptr ? wrapped(std::move(a)) : tensor();
}

tensor max_pool2d(const tensor& self, numbers size, numbers stride, numbers padding, numbers dilation, bool ceil) {
  const pool_numbers n{shape(size), shape(stride), shape(padding), shape(dilation), ceil};
  return computed<aten::max_pool2d>(
      std::span(&self, 1), [&](std::span<const tensor> in) { return pooled(library::pooling::max, in[0], n); },
      [n](std::span<const tensor> in) {
        return aten::max_pool2d(in[0], n.size, n.stride, n.padding, n.dilation, n.ceil);
      });
}

tensor avg_pool2d(const tensor& self, numbers size, numbers stride, numbers padding, bool ceil, bool counts_padding,
                  std::optional<std::int64_t> divisor) {
  const pool_numbers n{shape(size), shape(stride), shape(padding), {1}, false};
  return computed<aten::avg_pool2d>(
      std::span(&self, 1),
      [&](std::span<const tensor> in) {
        // What a window beyond the padding counts, and divisors, are other conventions in oneDNN.
        if (ceil || divisor.has_value()) return tensor();
        return pooled(counts_padding ? library::pooling::average : library::pooling::average_without_padding, in[0], n);
      },
      [=](std::span<const tensor> in) {
        return aten::avg_pool2d(in[0], n.size, n.stride, n.padding, ceil, counts_padding, divisor);
      });
}

// Windows of one size where the result divides the image.
tensor adaptive_pool2d(const tensor& self, numbers output) {
  const shape wanted(output);
  std::int64_t out[3]{};
  const bool divides = self.dim() == 4 && self.numel() > 0 && expand_numbers(wanted, 2, 1, out) &&
                       self.sizes()[2] % out[0] == 0 && self.sizes()[3] % out[1] == 0;
  if (divides) {
    const std::array<std::int64_t, 2> size{self.sizes()[2] / out[0], self.sizes()[3] / out[1]};
    return topbit::avg_pool2d(self, std::span<const std::int64_t>(size));
  }
  return blocked(in_dense<aten::adaptive_avg_pool2d>(self, output));
}

constexpr author::kernel_row rows[] = {
    blocked_row<&convolution<aten::conv1d>, aten::conv1d>(),
    reached<aten::conv1d>(),
    blocked_row<&convolution<aten::conv2d>, aten::conv2d>(),
    reached<aten::conv2d>(),
    blocked_row<&convolution<aten::conv3d>, aten::conv3d>(),
    reached<aten::conv3d>(),
    blocked_row<&any_convolution, aten::convolution>(),
    reached<aten::convolution>(),
    blocked_row<&convolve, native::convolve>(),
    author::define(native::convolution_relu),
    author::row<&named<&convolution_then_relu, native::convolution_relu>::run>(native::convolution_relu,
                                                                               key::CompositeImplicitAutograd),
    blocked_row<&convolution<native::convolution_relu>, native::convolution_relu>(),
    reached<native::convolution_relu>(),
    author::define(native::pack_weight_convolution),
    author::row<&packed>(native::pack_weight_convolution, key::CPU),
    blocked_row<&packed, native::pack_weight_convolution>(),
    author::fallthrough_row(native::pack_weight_convolution, key::Autograd),
    blocked_row<&max_pool2d, aten::max_pool2d>(),
    reached<aten::max_pool2d>(),
    blocked_row<&avg_pool2d, aten::avg_pool2d>(),
    blocked_row<&adaptive_pool2d, aten::adaptive_avg_pool2d>(),
    reached<aten::adaptive_avg_pool2d>(),
};

}  // namespace

std::span<const author::kernel_row> window_rows() { return rows; }

}  // namespace topbit::onednn
