// Gradient rules of convolution.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.convolution_kernels;
import :gradient_registration.derivative;

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

constexpr author::kernel_row rows[] = {
    gradient_row<native::convolve, convolve_gradient>(),
    gradient_row<native::convolve_input_gradient, input_gradient>(),
    gradient_row<native::convolve_weight_gradient, weight_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> convolution_gradients() { return rows; }

}  // namespace topbit::detail
