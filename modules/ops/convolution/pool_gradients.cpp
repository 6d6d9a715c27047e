// Gradient rules of pooling and its backward operators.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.pool_kernels;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

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
    gradient_row<aten::max_pool2d_with_indices, max_pool_gradient>(),
    gradient_row<aten::max_pool2d_with_indices_backward, max_pool_backward_gradient>(),
    gradient_row<aten::avg_pool2d, average_pool_gradient>(),
    gradient_row<aten::avg_pool2d_backward, average_pool_backward_gradient>(),
    gradient_row<aten::_adaptive_avg_pool2d, adaptive_pool_gradient>(),
    gradient_row<aten::_adaptive_avg_pool2d_backward, adaptive_pool_backward_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> pool_gradients() { return rows; }

}  // namespace topbit::detail
