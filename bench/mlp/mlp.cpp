// A training step of the digits' classifier: forward, backward and update through the dispatcher. The first steps of
// each size are compared with the same training in plain double-precision loops.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

import topbit;

#include "examples/digits/dataset.h"
#include "examples/digits/models.h"
#include "examples/digits/training.h"
#include "tests/oracle/mlp.h"

namespace {

namespace tb = topbit;

constexpr std::uint32_t seed = 7;
constexpr double rate = 0.1;

struct batch {
  std::vector<float> images;
  std::vector<std::int64_t> labels;
  explicit batch(std::size_t rows) : images(rows * 64), labels(rows) {
    std::mt19937 random(seed);
    for (float& x : images) x = static_cast<float>(random() % 17) / 16.0F;
    for (std::int64_t& y : labels) y = random() % 10;
  }
  labelled tensors() const {
    const auto rows = static_cast<std::int64_t>(labels.size());
    return {tb::from_values(images, {rows, 8, 8}), tb::from_values(labels, {rows})};
  }
};

oracle::mlp reference_of(const mlp& of) {
  std::vector<oracle::mlp::layer> layers;
  const std::vector<tb::tensor> parameters = tb::parameters(of);  // weight [out, in] and bias of each layer
  for (std::size_t l = 0; l < parameters.size(); l += 2) {
    const tb::no_grad guard;
    const tb::tensor w = tb::aten::contiguous(tb::aten::t(tb::to(parameters[l], tb::dtype::float64)));
    const tb::tensor b = tb::to(parameters[l + 1], tb::dtype::float64);
    const auto in = static_cast<std::size_t>(w.size(0)), out = static_cast<std::size_t>(w.size(1));
    const auto* wp = w.data_ptr<double>();
    const auto* bp = b.data_ptr<double>();
    layers.push_back({in, out, {wp, wp + in * out}, {bp, bp + out}});
  }
  return oracle::mlp(layers);
}

// One step; returns the loss.
double step(const mlp& scores, tb::optimizer& optimizer, const labelled& b) {
  optimizer.zero_grad();
  const tb::tensor loss = tb::cross_entropy_loss(scores(b.images), b.labels);
  tb::backward(loss);
  optimizer.step();
  return tb::item(loss);
}

bool agrees_with_oracle(const batch& data) {
  const mlp network{tb::generator(seed)};
  tb::sgd optimizer(tb::parameters(network), {.learning_rate = rate});
  oracle::mlp reference = reference_of(network);
  const std::vector<double> images(data.images.begin(), data.images.end());
  const std::vector<std::size_t> labels(data.labels.begin(), data.labels.end());
  for (int i = 0; i < 3; ++i) {
    const double found = step(network, optimizer, data.tensors());
    if (std::abs(found - reference.step(images, labels, rate)) > 1e-4) return false;
  }
  return true;
}

void measure_step(benchmark::State& state) {
  const batch data(static_cast<std::size_t>(state.range(0)));
  if (!agrees_with_oracle(data)) return state.SkipWithError("the losses differ from the oracle");
  const mlp network{tb::generator(seed)};
  tb::sgd optimizer(tb::parameters(network), {.learning_rate = rate});
  const labelled batch = data.tensors();
  for (auto _ : state) benchmark::DoNotOptimize(step(network, optimizer, batch));
}
BENCHMARK(measure_step)->Name("mlp/step")->Arg(32)->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::AddCustomContext("cpu_kernels", std::string(tb::cpu_isa()));
  if (const std::string problem(tb::cpu_isa_problem()); !problem.empty()) {
    benchmark::AddCustomContext("cpu_kernels_problem", problem);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
