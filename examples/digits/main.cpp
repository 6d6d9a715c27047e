// Trains a classifier on handwritten digits. Only the device of the tensors names a backend; their keys dispatch every
// operator through autograd to that backend's kernels.
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "call_costs.h"
#include "dataset.h"
#include "device.h"
#include "options.h"

import topbit;
import topbit.autocast;

#include "models.h"
#include "training.h"

namespace tb = topbit;

namespace {

// Printed on a terminal only, overwriting itself.
void progress(int epoch, std::int64_t done, std::int64_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  const int filled = static_cast<int>(30 * done / all);
  std::fprintf(stderr, "\repoch %3d [%.*s%.*s]", epoch, filled, "##############################", 30 - filled,
               "..............................");
  if (done >= all) std::fprintf(stderr, "\r%*s\r", 44, "");
}

// One step in the lower precision of a scope, or, if autocast is not enabled, in float32. The scaler keeps gradients in
// the range of float16.
template <class Model>
double step(const Model& scores, tb::optimizer& optimizer, tb::loss_scaler& scaler,
            const tb::autocast_options& precision, const labelled& b) {
  optimizer.zero_grad();
  const tb::tensor loss = [&] {
    const tb::autocast scope(b.images.device().type, precision);
    return tb::cross_entropy_loss(scores(b.images), b.labels);
  }();
  tb::backward(scaler.scale(loss));
  scaler.step(optimizer);
  scaler.update();
  return tb::item(loss);
}

template <class Model>
double train_epoch(const Model& scores, tb::optimizer& optimizer, tb::loss_scaler& scaler,
                   const tb::autocast_options& precision, const labelled& train, const options& o, int epoch,
                   const tb::generator& random, tb::device where) {
  double loss = 0;
  std::int64_t done = 0;
  for (const labelled& b : batches(train, o.batch, random)) {
    const std::int64_t size = b.labels.numel();
    loss += step(scores, optimizer, scaler, precision, to(b, where)) * static_cast<double>(size);
    done += size;
    if (!o.quiet) progress(epoch, done, train.labels.numel());
  }
  return loss / static_cast<double>(done);
}

template <class Model>
int run(const options& o) {
  const tb::device where = tb::parse_device(o.device);
  if (const std::string missing = where.type == tb::backend::CUDA ? cuda_missing() : ""; !missing.empty()) {
    std::fprintf(stderr, "demo_digits: %s; run it with --device cpu\n", missing.c_str());
    return 2;
  }
  const split_digits data = split(read_digits(o.data));
  const tb::generator random(o.seed);
  Model scores(random);
  tb::move_to(scores, where);
  tb::adamw optimizer(tb::parameters(scores), {.learning_rate = o.rate});
  const bool is_lower = o.precision != "float32";
  const tb::autocast_options precision{
      .lower =
          is_lower ? std::optional(o.precision == "float16" ? tb::dtype::float16 : tb::dtype::bfloat16) : std::nullopt,
      .enabled = is_lower};
  tb::loss_scaler scaler({.enabled = o.precision == "float16"});
  // The learning rate decays to 0, so that the last epochs converge.
  const tb::schedule::cosine falling{.steps = o.epochs};
  if (!o.quiet) {
    std::printf("%lld images to train with, %lld held out, a network (%s) of %lld numbers on %s\n",
                static_cast<long long>(data.train.labels.numel()), static_cast<long long>(data.test.labels.numel()),
                o.model.c_str(), static_cast<long long>(tb::count_parameters(scores)), to_string(where).c_str());
  }
  const labelled test = to(data.test, where);
  const auto start = std::chrono::steady_clock::now();
  for (int epoch = 1; epoch <= o.epochs; ++epoch) {
    optimizer.set_learning_rate_factor(falling(epoch - 1));
    const double loss = train_epoch(scores, optimizer, scaler, precision, data.train, o, epoch, random, where);
    if (!o.quiet) {
      std::printf("epoch %3d  loss %.4f  test accuracy %.4f\n", epoch, loss, accuracy(scores, test));
      std::fflush(stdout);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!o.quiet) {
    std::printf("%d epochs in %.2f s\n\nwhy the last layer's product is computed where it is:\n%s\n", o.epochs, seconds,
                to_string(tb::explain(tb::aten::addmm, scores.scores.bias, test.images, scores.scores.weight)).c_str());
    print_call_costs();
    std::printf("\n");
  }
  std::printf("test accuracy %.4f\n", accuracy(scores, test));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const options o = parse_options(argc, argv);
    if (o.help) {
      std::fputs(usage, stdout);
      return 0;
    }
    return o.model == "cnn" ? run<cnn>(o) : run<mlp>(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "demo_digits: %s\n", e.what());
    return 1;
  }
}
