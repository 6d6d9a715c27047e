// Gradients: autograd is a layer of kernels above the backends, and a user's operator joins it with a gradient rule.
#include <array>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

import topbit;
namespace tb = topbit;

// 1. An operator of our own with a kernel: x squared, then scaled.
inline constexpr tb::op<"demo::square(Tensor self, *, float scale=1.0) -> Tensor"> square;
static tb::tensor square_kernel(const tb::tensor& self, double scale) { return self * self * scale; }

// 2. Its gradient rule: what to save, and the gradient of self from the gradient of the result.
struct square_rule {
  tb::saved_tensor self;
  double scale;
  static square_rule save(const tb::tensor& self, double scale, const tb::tensor&) {
    return {tb::saved_tensor(self), scale};
  }
  std::array<tb::tensor, 1> backward(const tb::tensor& gradient, std::array<bool, 1>) const {
    return {gradient * self.get() * (2 * scale)};
  }
};

const auto kernels = tb::library("demo")
                         .def(square)
                         .impl<&square_kernel>(square, tb::key::CompositeExplicitAutograd)
                         .impl<&tb::author::autograd_kernel<square, square_rule>::run>(square, tb::key::Autograd);

int main() {
  // 3. A leaf that accumulates its gradient.
  const tb::tensor x = tb::require_grad(tb::from_values<double>({1, 2, 3}, {3}));
  const tb::tensor y = tb::sum(square(x, tb::arg<"scale"> = 0.5) + x);
  std::cout << y << '\n';  // prints: 13. (float64 [])
  tb::backward(y);
  std::cout << tb::leaf_grad(x) << '\n';  // prints: [2., 3., 4.] (float64 [3])

  // 4. In this scope the thread excludes the autograd keys: calls skip autograd and record nothing.
  {
    const tb::no_grad guard;
    std::puts(tb::requires_grad(square(x)) ? "recorded" : "not recorded");  // prints: not recorded
  }

  // 5. A gradient is never lost silently: writing to a leaf that needs one is refused.
  try {
    tb::tensor writable = x;
    writable += y;
  } catch (const tb::error& e) {
    std::puts(std::string(e.op()).c_str());  // prints: aten::add_.Tensor
  }

  // 6. A few steps of gradient descent: the minimum of (w - 3)^2.
  tb::tensor w = tb::from_values<double>({0}, {1});
  tb::require_grad(w);
  for (int i = 0; i < 40; ++i) {
    tb::backward(tb::sum(square(w - 3.0)));
    const tb::no_grad guard;
    tb::sub_(w, tb::leaf_grad(w), tb::arg<"alpha"> = 0.2);
    tb::zero_grad(w);
  }
  std::printf("%.4f\n", tb::item(w));  // prints: 3.0000
}
