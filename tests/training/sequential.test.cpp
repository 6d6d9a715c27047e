// Layers one after the other: what is called, and how parameters are named.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace nn = topbit::nn;
namespace aten = topbit::aten;
using support::values;
using tb::tensor;

namespace {

auto network() {
  const tb::generator random(1);
  return nn::sequential(nn::linear(3, 4, random), aten::relu, nn::dropout(0.5),
                        nn::sequential(nn::linear(4, 2, random, {.bias = false})),
                        [](const tensor& x) { return x * 2; });
}

static_assert(tb::trainable<decltype(network())>);

}  // namespace

TEST_CASE("sequential: parameters are named by the position of their module", "[training][sequential]") {
  std::vector<std::string> names;
  for (const auto& one : tb::named_parameters(network())) names.push_back(one.name);
  CHECK(names == std::vector<std::string>{"0.weight", "0.bias", "3.0.weight"});
}

TEST_CASE("sequential: each module gets the previous one's output, and gradients flow back", "[training][sequential]") {
  auto net = network();
  tb::set_training(net, false);
  const std::vector<tensor> p = tb::parameters(net);
  const tensor x = support::tensor_of({1, -2, 3}, {1, 3}, tb::dtype::float32);
  const tensor y = net(x);
  CHECK(values(y) == values(aten::linear(aten::relu(aten::linear(x, p[0], p[1])), p[2]) * 2));
  tb::backward(aten::sum(y));
  for (const tensor& one : p) CHECK(tb::leaf_grad(one).defined());
}
