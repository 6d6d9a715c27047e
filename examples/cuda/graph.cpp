// A training step, captured once and replayed with other data.
#include <cmath>
#include <cstdio>

import topbit;
import topbit.cuda;
namespace tb = topbit;
namespace nn = topbit::nn;

// The loss of the last of ten steps, each with another dropout mask.
static double train(const tb::tensor& images, const tb::tensor& labels, bool captured) {
  nn::linear net(20, 10, tb::generator(1));
  tb::move_to(net, tb::cuda());
  tb::adamw optimizer(tb::parameters(net), {.learning_rate = 0.01, .capturable = true});
  tb::tensor x = tb::empty({32, 20}, tb::arg<"device"> = tb::cuda());
  tb::tensor y = tb::empty({32}, tb::arg<"dtype"> = tb::dtype::int64, tb::arg<"device"> = tb::cuda());
  tb::tensor loss;
  const auto load = [&](int i) {
    tb::copy_(x, tb::select(images, 0, i));
    tb::copy_(y, tb::select(labels, 0, i));
  };

  const auto step = [&] {
    optimizer.zero_grad();
    loss = tb::cross_entropy_loss(net(tb::dropout(x, 0.2, true)), y);
    tb::backward(loss);
    optimizer.step();
  };
  tb::manual_seed(2);  // the same dropout masks with and without a graph
  load(0);
  step();  // allocates the optimizer's state outside the graph
  if (captured) {
    const tb::cuda_graph graph = tb::cuda_graph::capture(step);
    for (int i = 1; i < 10; ++i) {
      load(i);
      graph.replay();
    }
  } else {
    for (int i = 1; i < 10; ++i) {
      load(i);
      step();
    }
  }
  return tb::item(loss);
}

int main() {
  if (!tb::cuda_available()) {
    std::puts(tb::cuda_unavailable_reason().c_str());
    return 77;  // a skipped test
  }
  tb::manual_seed(1);
  const tb::tensor images = tb::randn({10, 32, 20}), labels = tb::randint(10, {10, 32});
  const double plain = train(images, labels, false), replayed = train(images, labels, true);
  std::printf("%d\n", std::abs(plain - replayed) < 1e-4 * plain);  // prints: 1
}
