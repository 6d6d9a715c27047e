// 230: Newton's method with derivatives of derivatives: each step solves H d = g by conjugate gradients, which needs
// products of the Hessian with vectors and never the Hessian itself.
#include <cstdio>

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

// Logistic regression: the mean of log(1 + exp(-y x.w)), and a little of the weights.
tb::tensor loss(const tb::tensor& w, const tb::tensor& x, const tb::tensor& y) {
  const tb::tensor margins = y * tb::matmul(x, w);
  return tb::mean(tb::softplus(-margins)) + tb::sum(w * w) * 1e-3;
}

// Solves A d = b for a positive definite A, which is known by its products.
template <class Product>
tb::tensor solve(Product times, const tb::tensor& b) {
  tb::tensor d = tb::zeros_like(b), residual = b, direction = b;
  double norm = tb::item(tb::dot(residual, residual));
  for (int i = 0; i < 20 && norm > 1e-16; ++i) {
    const tb::tensor image = times(direction);
    const double step = norm / tb::item(tb::dot(direction, image));
    d = d + direction * step;
    residual = residual - image * step;
    const double next = tb::item(tb::dot(residual, residual));
    direction = residual + direction * (next / norm);
    norm = next;
  }
  return d;
}

}  // namespace

int main() {
  const auto normal = [](const tb::shape& sizes) { return tb::randn(sizes, tb::arg<"dtype"> = tb::dtype::float64); };
  const tb::tensor x = normal({200, 5}), truth = normal({5});
  const tb::tensor y = tb::sign(tb::matmul(x, truth) + normal({200}) * 0.5);
  tb::tensor w = tb::zeros_like(truth);
  const auto gradient = [&](const tb::tensor& at) { return tb::grad_of(loss)(at, x, y); };
  for (int step = 0; step < 7; ++step) {
    // The gradient, and its change along a direction: a product with the Hessian.
    const auto [g, hessian_times] = tb::linearize(gradient, w);
    std::printf("step %d: loss %.6f, gradient %.4f\n", step, tb::item(loss(w, x, y)), tb::item(tb::norm(g)));
    w = w - solve(hessian_times, g);
  }
}

// prints: step 0: loss 0.693147, gradient 0.3945
// prints: step 1: loss 0.310610, gradient 0.1170
// prints: step 2: loss 0.212277, gradient 0.0439
// prints: step 3: loss 0.175986, gradient 0.0143
// prints: step 4: loss 0.168246, gradient 0.0029
// prints: step 5: loss 0.167813, gradient 0.0002
// prints: step 6: loss 0.167812, gradient 0.0000
