// Trains the convolutional network of the digits example, quantizes its weights, and compares accuracy and size. Prints
// one line for each network; the exit code is 1 if one loses more than its bits allow.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../digits/dataset.h"

import topbit;
import topbit.quantized;

#include "../digits/models.h"
#include "../digits/training.h"

namespace tb = topbit;
namespace quantized = topbit::quantized;

static cnn trained(const labelled& train) {
  const tb::generator random(1);
  cnn net(random);
  tb::adamw optimizer(tb::parameters(net), {.learning_rate = 0.005});
  constexpr int epochs = 15;
  const tb::schedule::cosine falling{.steps = epochs};
  for (int epoch = 0; epoch < epochs; ++epoch) {
    optimizer.set_learning_rate_factor(falling(epoch));
    for (const labelled& b : batches(train, 32, random)) {
      optimizer.zero_grad();
      tb::backward(tb::cross_entropy_loss(net(b.images), b.labels));
      optimizer.step();
    }
  }
  return net;
}

// Each image in all nine positions that training shifts it to: more images, so that one of them weighs less.
static labelled in_all_positions(const labelled& b) {
  const std::int64_t n = b.labels.numel();
  const tb::tensor edged = tb::pad(b.images, {1, 1, 1, 1});
  return {tb::reshape(tb::unfold(tb::unfold(edged, 1, 8, 1), 2, 8, 1), {9 * n, 8, 8}),
          tb::repeat_interleave(b.labels, 9)};
}

static std::int64_t bytes_of(const cnn& net) {
  std::int64_t bytes = 0;
  for (const tb::tensor& p : tb::parameters(net)) bytes += quantized::bytes_of(p);
  return bytes;
}

int main() {
  const split_digits data = split(read_digits(TOPBIT_DIGITS_FILE));
  const labelled test = in_all_positions(data.test);
  const cnn net = trained(data.train);

  // A copy of a network shares its parameters until they are replaced.
  cnn int8 = net, dynamic = net, int4 = net;
  quantized::quantize_parameters(int8, quantized::int8);
  quantized::quantize_parameters(dynamic, quantized::int8_dynamic);
  // Windows of 3 x 3 have no runs of 32: the convolutions have 8 bits.
  quantized::quantize_parameters(int4, quantized::int4);
  quantized::quantize_parameters(int4, quantized::int8);

  const double reference = accuracy(net, test);
  bool good = true;
  const auto report = [&](const char* name, const cnn& which, double most_lost) {
    const double found = accuracy(which, test);
    std::printf("%-22s  accuracy %.4f  %6lld bytes\n", name, found, static_cast<long long>(bytes_of(which)));
    good = good && reference - found <= most_lost;
  };
  report("float32", net, 0);
  report("int8", int8, 0.002);
  report("int8, activations too", dynamic, 0.002);
  report("int4", int4, 0.01);
  return good && reference > 0.95 ? 0 : 1;
}
