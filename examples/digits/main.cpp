// Trains a classifier on handwritten digits. Nothing here names a backend but the device the tensors are made on; the
// keys they carry send every operator through autograd and then to that backend's kernels.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

#include "call_costs.h"
#include "dataset.h"
#include "options.h"

import topbit;
import topbit.cuda;

#include "classifier.h"

namespace tb = topbit;

namespace {

struct batch {
  tb::tensor images, labels;
};

batch to_tensors(const digits& d, tb::device where) {
  const auto n = static_cast<std::int64_t>(d.count());
  return {tb::to(tb::from_values(d.pixels, {n, 64}), where), tb::to(tb::from_values(d.labels, {n}), where)};
}

double accuracy(const classifier& model, const batch& b) {
  const tb::no_grad guard;
  const tb::tensor hits = tb::ops::eq(tb::ops::argmax(model(b.images), 1), b.labels);
  return tb::item(tb::ops::mean(hits, tb::arg<"dtype"> = tb::dtype::float64));
}

// Drawn on a terminal only, and over itself.
void progress(int epoch, std::size_t done, std::size_t all) {
  if (isatty(STDERR_FILENO) == 0) return;
  const int filled = static_cast<int>(30 * done / all);
  std::fprintf(stderr, "\repoch %3d [%.*s%.*s]", epoch, filled, "##############################", 30 - filled,
               "..............................");
  if (done >= all) std::fprintf(stderr, "\r%*s\r", 44, "");
}

double train_epoch(classifier& model, const digits& train, const options& o, int epoch, std::mt19937& random,
                   tb::device where) {
  std::vector<std::size_t> order(train.count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random() % (i + 1)]);
  // The rate falls to nothing along a straight line, so that the last epochs settle.
  const double rate = o.rate * (1.0 - static_cast<double>(epoch - 1) / o.epochs);
  double loss = 0;
  const auto size = static_cast<std::size_t>(o.batch);
  for (std::size_t at = 0; at < order.size(); at += size) {
    const std::size_t end = std::min(at + size, order.size());
    const std::vector<std::size_t> chosen(order.begin() + static_cast<std::ptrdiff_t>(at),
                                          order.begin() + static_cast<std::ptrdiff_t>(end));
    digits images = select(train, chosen);
    for (std::size_t i = 0; i < images.count(); ++i) {
      shift(&images.pixels[64 * i], static_cast<int>(random() % 3) - 1, static_cast<int>(random() % 3) - 1);
    }
    const batch b = to_tensors(images, where);
    loss += tb::item(model.step(b.images, b.labels, rate)) * static_cast<double>(chosen.size());
    if (!o.quiet) progress(epoch, end, order.size());
  }
  return loss / static_cast<double>(train.count());
}

int run(const options& o) {
  const tb::device where = tb::parse_device(o.device);
  if (where.type == tb::backend::CUDA && !tb::cuda_available()) {
    std::fprintf(stderr, "demo_digits: %s; run it with --device cpu\n", tb::why_no_cuda().c_str());
    return 2;
  }
  const split_digits data = split(read_digits(o.data));
  if (!o.quiet) {
    std::printf("%zu images to train with, %zu held out, a 64-128-64-10 network on %s\n", data.train.count(),
                data.test.count(), to_string(where).c_str());
  }
  if (const std::string problem(tb::cpu_isa_problem()); !problem.empty()) {
    std::fprintf(stderr, "demo_digits: %s\n", problem.c_str());
  }
  classifier model(o.seed, where);
  const batch test = to_tensors(data.test, where);
  std::mt19937 random(o.seed);
  const auto start = std::chrono::steady_clock::now();
  for (int epoch = 1; epoch <= o.epochs; ++epoch) {
    const double loss = train_epoch(model, data.train, o, epoch, random, where);
    if (!o.quiet) {
      std::printf("epoch %3d  loss %.4f  test accuracy %.4f\n", epoch, loss, accuracy(model, test));
      std::fflush(stdout);
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!o.quiet) {
    std::printf(
        "%d epochs in %.2f s\n\nwhy a layer's bias is added where it is:\n%s\n", o.epochs, seconds,
        to_string(tb::explain(tb::ops::add, tb::ops::matmul(test.images, model.weight(0)), model.bias(0))).c_str());
    print_call_costs();
    std::printf("\n");
  }
  std::printf("test accuracy %.4f\n", accuracy(model, test));
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
    return run(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "demo_digits: %s\n", e.what());
    return 1;
  }
}
