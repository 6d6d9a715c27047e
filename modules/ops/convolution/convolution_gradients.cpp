// Gradient rules of convolution, padding and pooling.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

// For y, x, w with the sizes of result, input and weight, sum(y * convolve(x, w)) is linear in each of the three. The
// three operators are its derivatives, so the gradients of each are the two others.
struct windows {
  shape stride, padding, dilation;
  std::int64_t groups;
  tensor result(T x, T w) const { return native::convolve(x, w, stride, padding, dilation, groups); }
  tensor input(T y, T w, const shape& sizes) const {
    return native::convolve_input_gradient(y, w, sizes, stride, padding, dilation, groups);
  }
  tensor weight(T y, T x, const shape& sizes) const {
    return native::convolve_weight_gradient(y, x, sizes, stride, padding, dilation, groups);
  }
};

// Each operand is saved if the gradient of the other is wanted.
struct operands {
  saved_tensor first, second;
  shape first_sizes, second_sizes;
  operands(T a, T b)
      : first(requires_grad(b) ? saved_tensor(a) : saved_tensor()),
        second(requires_grad(a) ? saved_tensor(b) : saved_tensor()),
        first_sizes(a.sizes()),
        second_sizes(b.sizes()) {}
};

struct convolve_gradient {
  operands of;
  windows by;
  static convolve_gradient save(T x, T w, sizes_view stride, sizes_view padding, sizes_view dilation,
                                std::int64_t groups, T) {
    return {{x, w}, {stride, padding, dilation, groups}};
  }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? by.input(g, of.second.get(), of.first_sizes) : tensor(),
            wanted[1] ? by.weight(g, of.first.get(), of.second_sizes) : tensor()};
  }
};

struct input_gradient {
  operands of;
  windows by;
  static input_gradient save(T y, T w, sizes_view, sizes_view stride, sizes_view padding, sizes_view dilation,
                             std::int64_t groups, T) {
    return {{y, w}, {stride, padding, dilation, groups}};
  }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? by.result(g, of.second.get()) : tensor(),
            wanted[1] ? by.weight(of.first.get(), g, of.second_sizes) : tensor()};
  }
};

struct weight_gradient {
  operands of;
  windows by;
  static weight_gradient save(T y, T x, sizes_view, sizes_view stride, sizes_view padding, sizes_view dilation,
                              std::int64_t groups, T) {
    return {{y, x}, {stride, padding, dilation, groups}};
  }
  grads2 backward(T g, wants2 wanted) const {
    return {wanted[0] ? by.result(of.second.get(), g) : tensor(),
            wanted[1] ? by.input(of.first.get(), g, of.second_sizes) : tensor()};
  }
};

// The gradient is cropped where the input was padded; cropped elements get gradient 0.
struct constant_pad_gradient {
  shape before, behind;
  static constant_pad_gradient save(const tensor&, sizes_view pad, const scalar&, const tensor&) {
    constant_pad_gradient rule;
    for (std::size_t i = 0; i + 1 < pad.size(); i += 2) {
      rule.before.push_back(-pad[i]);
      rule.behind.push_back(-pad[i + 1]);
    }
    return rule;
  }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    std::array<std::int64_t, 2 * max_dims> pad{};
    for (std::size_t i = 0; i < before.size(); ++i) {
      pad[2 * i] = before[i];
      pad[2 * i + 1] = behind[i];
    }
    return {aten::constant_pad_nd(g, sizes_view(pad).first(2 * before.size()), 0)};
  }
};

// The sizes and dtype that the backward operator of a pool requires; it reads no elements of the image.
struct pooled_image {
  kind_of kind;
  tensor beside(T g) const {
    return aten::expand(aten::zeros(shape{}, arg<"dtype"> = kind.type, arg<"device"> = g.device()), kind.sizes);
  }
};

// Gradient of the maxima; the indices have none.
struct max_pool_gradient {
  pooled_image self;
  saved_result indices;
  shape kernel, stride, padding, dilation;
  bool ceil;
  static max_pool_gradient save(T self, sizes_view kernel, sizes_view stride, sizes_view padding, sizes_view dilation,
                                bool ceil, const std::tuple<tensor, tensor>& r) {
    return {{self}, saved_result(std::get<1>(r), 1), kernel, stride, padding, dilation, ceil};
  }
  grads1 backward(const std::array<tensor, 2>& g, std::array<bool, 1>) const {
    return {aten::max_pool2d_with_indices_backward(g[0], self.beside(g[0]), kernel, stride, padding, dilation, ceil,
                                                   indices.get())};
  }
};

// Gathers from the indices at which the backward operator accumulates.
using max_pool_backward_gradient =
    derivative<aten::max_pool2d_with_indices_backward, keep<7>,
               [](T g, T indices, sizes_view, sizes_view, sizes_view, sizes_view, bool) {
                 shape pixels(std::span(g.sizes().begin(), g.dim() - 2)), positions = pixels;
                 pixels.push_back(g.size(-2) * g.size(-1));
                 positions.push_back(indices.size(-2) * indices.size(-1));
                 const tensor taken = aten::gather(aten::reshape(g, pixels), -1, aten::reshape(indices, positions));
                 return aten::reshape(taken, indices.sizes());
               },
               no_gradient, no_gradient>;

struct average_pool_gradient {
  pooled_image self;
  shape kernel, stride, padding;
  bool ceil, count_padding;
  divisor_override divisor;
  static average_pool_gradient save(T self, sizes_view kernel, sizes_view stride, sizes_view padding, bool ceil,
                                    bool count_padding, divisor_override divisor, T) {
    return {{self}, kernel, stride, padding, ceil, count_padding, divisor};
  }
  grads1 backward(T g, std::array<bool, 1>) const {
    return {aten::avg_pool2d_backward(g, self.beside(g), kernel, stride, padding, ceil, count_padding, divisor)};
  }
};

using average_pool_backward_gradient =
    derivative<aten::avg_pool2d_backward, keep<>,
               [](T g, sizes_view kernel, sizes_view stride, sizes_view padding, bool ceil, bool count_padding,
                  divisor_override divisor) {
                 return aten::avg_pool2d(g, kernel, stride, padding, ceil, count_padding, divisor);
               },
               no_gradient>;

struct adaptive_pool_gradient {
  pooled_image self;
  static adaptive_pool_gradient save(T self, sizes_view, T) { return {{self}}; }
  grads1 backward(T g, std::array<bool, 1>) const { return {aten::_adaptive_avg_pool2d_backward(g, self.beside(g))}; }
};

struct adaptive_pool_backward_gradient {
  std::int64_t height, width;
  static adaptive_pool_backward_gradient save(T g, T, T) { return {g.size(-2), g.size(-1)}; }
  grads2 backward(T g, wants2) const { return {aten::_adaptive_avg_pool2d(g, shape{height, width}), tensor()}; }
};

constexpr author::kernel_row rows[] = {
    gradient_row<native::convolve, convolve_gradient>(),
    gradient_row<native::convolve_input_gradient, input_gradient>(),
    gradient_row<native::convolve_weight_gradient, weight_gradient>(),
    gradient_row<aten::constant_pad_nd, constant_pad_gradient>(),
    gradient_row<aten::max_pool2d_with_indices, max_pool_gradient>(),
    gradient_row<aten::max_pool2d_with_indices_backward, max_pool_backward_gradient>(),
    gradient_row<aten::avg_pool2d, average_pool_gradient>(),
    gradient_row<aten::avg_pool2d_backward, average_pool_backward_gradient>(),
    gradient_row<aten::_adaptive_avg_pool2d, adaptive_pool_gradient>(),
    gradient_row<aten::_adaptive_avg_pool2d_backward, adaptive_pool_backward_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> convolution_gradients() { return rows; }

}  // namespace topbit::detail
