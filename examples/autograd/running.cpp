// Running backward: what is recorded and what is not, hooks, gradients of gradients.
#include <cstdio>
#include <iostream>
#include <string>

import topbit;
namespace tb = topbit;

static void print(const tb::tensor& t) { std::cout << t << '\n'; }

int main() {
  const tb::tensor x = tb::require_grad(tb::from_values<double>({1, 2}, {2}));

  // Which calls are recorded.
  {
    const tb::no_grad off;
    const tb::tensor y = x * 2.0;
    const tb::enable_grad on;
    const tb::tensor z = x * 2.0;
    std::printf("%d %d\n", tb::requires_grad(y), tb::requires_grad(z));  // prints: 0 1
  }
  {
    const tb::inference_mode fast;
    const tb::tensor y = x * 2.0;
    std::printf("%d %d\n", tb::requires_grad(y), tb::is_inference(y));  // prints: 0 1
  }

  // A graph is released as it runs, unless it is retained.
  const tb::tensor loss = tb::sum(x * x);
  tb::backward(loss, {}, {.retain_graph = true});
  tb::backward(loss);
  print(tb::leaf_grad(x));  // prints: [4., 8.] (float64 [2])
  try {
    tb::backward(loss);
  } catch (const tb::error& e) {
    std::puts(std::string(e.op()).c_str());  // prints: aten::mul.Tensor
  }

  // Gradients with respect to any tensor, not accumulated; second derivatives too.
  const tb::tensor cubes = tb::sum(x * x * x);
  const tb::tensor first = tb::grad(cubes, x, {.create_graph = true});
  print(tb::detach(first));            // prints: [ 3., 12.] (float64 [2])
  print(tb::grad(tb::sum(first), x));  // prints: [ 6., 12.] (float64 [2])

  // Hooks read a gradient, or replace it.
  tb::zero_grad(x);
  const tb::tensor y = x * 3.0;
  tb::hook halving = tb::add_hook(y, [](const tb::tensor& gradient) { return gradient * 0.5; });
  tb::retain_grad(y);
  tb::backward(tb::sum(y), {}, {.retain_graph = true});
  print(tb::leaf_grad(y));  // prints: [0.5, 0.5] (float64 [2])
  print(tb::leaf_grad(x));  // prints: [1.5, 1.5] (float64 [2])
  halving.remove();
}
