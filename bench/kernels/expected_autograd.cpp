// What a chain's gradient and the losses of a step are, in plain double-precision loops.
#include <cmath>

#include "expected.h"
#include "problems.h"
#include "tests/oracle/mlp.h"

namespace bench {

namespace {

std::vector<double> values_of(const array& a) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < a.count(); ++i) all.push_back(value_at(a, i));
  return all;
}

// With the weights as oracle::mlp has them, [in, out].
oracle::mlp::layer layer_of(const array& weight, const array& bias) {
  const auto out = static_cast<std::size_t>(weight.sizes[0]), in = static_cast<std::size_t>(weight.sizes[1]);
  oracle::mlp::layer made{in, out, std::vector<double>(in * out), values_of(bias)};
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      made.weight[i * out + o] = value_at(weight, static_cast<std::int64_t>(o * in + i));
    }
  }
  return made;
}

}  // namespace

double gradient_of_chain(const problem& p, std::int64_t place) {
  const auto nodes = static_cast<double>(p.options[0]);
  const bool both = p.options[1] != 0;
  if (p.operation.ends_with("add")) return both ? nodes + 1 : 1;
  const double factor = value_at(p.inputs[both ? 0 : 1], place);
  return (both ? nodes + 1 : 1) * std::pow(factor, nodes);
}

std::vector<double> losses_of_steps(const problem& p) {
  std::vector<oracle::mlp::layer> layers;
  for (std::size_t i = 2; i < p.inputs.size(); i += 2) layers.push_back(layer_of(p.inputs[i], p.inputs[i + 1]));
  oracle::mlp reference(std::move(layers));
  std::vector<std::size_t> labels;
  for (const double label : values_of(p.inputs[1])) labels.push_back(static_cast<std::size_t>(label));
  const std::vector<double> images = values_of(p.inputs[0]);
  std::vector<double> losses;
  for (std::int64_t i = 0; i < p.result.count(); ++i) losses.push_back(reference.step(images, labels, learning_rate));
  return losses;
}

}  // namespace bench
