// A user-defined function with a gradient, without an operator: forward() and backward() of a struct.
#include <any>
#include <array>
#include <iostream>

import topbit;
namespace tb = topbit;

// Identity in forward, and clips the gradient in backward.
struct clip_gradient {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& x, double most) {
    c.data = most;
    return x * 1.0;
  }
  static tb::tensor backward(tb::function_context& c, const tb::tensor& gradient) {
    const double most = std::any_cast<double>(c.data);
    return tb::clamp(gradient, -most, most);
  }
};

// Two tensors: a gradient for each, if needed.
struct product {
  static tb::tensor forward(tb::function_context& c, const tb::tensor& a, const tb::tensor& b) {
    c.save(a, b);
    return a * b;
  }
  static std::array<tb::tensor, 2> backward(tb::function_context& c, const tb::tensor& gradient) {
    return {c.needs_input_grad(0) ? gradient * c.saved(1) : tb::tensor(),
            c.needs_input_grad(1) ? gradient * c.saved(0) : tb::tensor()};
  }
};

int main() {
  const tb::tensor x = tb::require_grad(tb::from_values<double>({1, 2}, {2}));
  const tb::tensor w = tb::from_values<double>({0.25, 100}, {2});
  tb::backward(tb::sum(tb::apply<product>(tb::apply<clip_gradient>(x, 0.5), w)));
  std::cout << tb::leaf_grad(x) << '\n';  // prints: [0.25, 0.5 ] (float64 [2])
}
