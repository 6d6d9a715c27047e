// The demonstration's classifier, shortened: every step goes through the dispatcher, and has to agree with plain loops.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "kernel_abi.h"
#include "oracle/mlp.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::tensor;

namespace {

constexpr std::size_t widths[] = {64, 128, 64, 10};
constexpr std::int64_t rows = 32;
constexpr int steps = 8;
constexpr double rate = 0.1;

// Ten blurred patterns with noise: images a classifier can learn.
struct batch {
  std::vector<double> images;
  std::vector<std::size_t> labels;
};

batch make_batch(support::numbers& source) {
  batch b;
  for (std::int64_t r = 0; r < rows; ++r) {
    b.labels.push_back(static_cast<std::size_t>(source.whole(0, 9)));
    for (std::size_t i = 0; i < widths[0]; ++i) {
      b.images.push_back((i % 10 == b.labels.back() ? 1.0 : 0.1) + source.real(-0.05, 0.05));
    }
  }
  return b;
}

template <class T>
std::vector<double> rounded(std::vector<double> x) {
  for (double& v : x) v = static_cast<T>(v);
  return x;
}

std::vector<oracle::mlp::layer> make_layers(support::numbers& source) {
  std::vector<oracle::mlp::layer> layers;
  for (std::size_t l = 0; l + 1 < std::size(widths); ++l) {
    oracle::mlp::layer w{widths[l], widths[l + 1], {}, {}};
    const double bound = 1 / std::sqrt(static_cast<double>(w.in));
    for (std::size_t n = 0; n < w.in * w.out; ++n) w.weight.push_back(static_cast<float>(source.real(-bound, bound)));
    for (std::size_t n = 0; n < w.out; ++n) w.bias.push_back(static_cast<float>(source.real(-bound, bound)));
    layers.push_back(std::move(w));
  }
  return layers;
}

// The same network as a user writes it.
struct network {
  std::vector<tensor> weights, biases;

  network(const std::vector<oracle::mlp::layer>& layers, tb::dtype type) {
    for (const auto& l : layers) {
      const auto in = static_cast<std::int64_t>(l.in), out = static_cast<std::int64_t>(l.out);
      weights.push_back(tb::require_grad(support::tensor_of(l.weight, {in, out}, type)));
      biases.push_back(tb::require_grad(support::tensor_of(l.bias, {out}, type)));
    }
  }
  double step(const tensor& images, const tensor& labels) {
    tensor x = images;
    for (std::size_t l = 0; l < weights.size(); ++l) {
      x = aten::matmul(x, weights[l]) + biases[l];
      if (l + 1 < weights.size()) x = aten::relu(x);
    }
    const tensor loss = aten::nll_loss(aten::log_softmax_int(x, 1), labels);
    tb::backward(loss);
    const tb::no_grad guard;
    for (auto* parameters : {&weights, &biases}) {
      for (tensor& p : *parameters) {
        aten::sub_Tensor_(p, tb::leaf_grad(p), tb::arg<"alpha"> = rate);
        tb::zero_grad(p);
      }
    }
    return tb::item(loss);
  }
};

// A process that was told which kernels to take but cannot says so by skipping, not by passing with others.
void need_wanted_kernels() {
  const char* wanted = std::getenv("TOPBIT_CPU_ISA");
  if (wanted == nullptr || *wanted == '\0') return;
  const std::string found = tb_cpu_kernels()->name;
  if (found != std::string("cpu/") + wanted)
    SKIP("wanted the kernels of " << wanted << ", this machine takes " << found);
}

}  // namespace

// The tolerances are relative to 1 + |value|. Rounding of one step is about 64 units in the last place; eight steps of
// a contracting method do not add up to more than a few times that.
TEMPLATE_TEST_CASE("classifier: training by operators agrees with plain loops", "[autograd][classifier]", float,
                   double) {
  need_wanted_kernels();
  constexpr bool is_float = std::is_same_v<TestType, float>;
  constexpr double tolerance = is_float ? 2e-5 : 1e-12;
  support::numbers source(3);
  const auto layers = make_layers(source);
  oracle::mlp reference(layers);
  network net(layers, tb::dtype_of<TestType>);

  double first = 0, last = 0;
  for (int s = 0; s < steps; ++s) {
    const batch b = make_batch(source);
    const std::vector<double> images = rounded<TestType>(b.images);
    const double wanted = reference.step(images, b.labels, rate);
    const double found = net.step(support::tensor_of(images, {rows, 64}, tb::dtype_of<TestType>),
                                  support::tensor_of({b.labels.begin(), b.labels.end()}, {rows}, tb::dtype::int64));
    INFO("step " << s);
    CHECK(support::difference({found}, {wanted}, tolerance) == "");
    (s == 0 ? first : last) = found;
  }
  for (std::size_t l = 0; l < layers.size(); ++l) {
    INFO("layer " << l);
    CHECK(support::difference(support::values(net.weights[l]), reference.layers()[l].weight, tolerance) == "");
    CHECK(support::difference(support::values(net.biases[l]), reference.layers()[l].bias, tolerance) == "");
  }
  CHECK(last < first);
}
