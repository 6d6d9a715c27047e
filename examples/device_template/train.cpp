// Fits a small network on the device, and says what the host still computes.
#include <iostream>

import topbit;
import topbit.backend;

namespace tb = topbit;

int main() {
  const tb::device chip = tb::parse_device("mychip");
  tb::manual_seed(1);
  const tb::tensor x = tb::randn({64, 4}, tb::arg<"device"> = chip), y = tb::sum(x * x, {1}, true);
  tb::nn::linear first(4, 32), last(32, 1);
  tb::move_to(first, chip);
  tb::move_to(last, chip);
  tb::adam optimizer({first.weight, first.bias, last.weight, last.bias}, {.learning_rate = 0.01});
  double begin = 0, end = 0;
  for (int i = 0; i < 200; ++i) {
    optimizer.zero_grad();
    const tb::tensor loss = tb::mse_loss(last(tb::relu(first(x))), y);
    tb::backward(loss);
    optimizer.step();
    (i == 0 ? begin : end) = tb::item(loss);
  }
  std::cout << "loss " << begin << " -> " << end << " on " << to_string(chip) << '\n'
            << tb::backends::to_string(tb::backends::fallback_report());
  return end < begin / 10 ? 0 : 1;
}
