// Layers: the sizes and range of their parameters, what they compute, and what they refuse.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace nn = topbit::nn;
namespace aten = topbit::aten;
using support::values;
using tb::tensor;
using toy::text_of;

namespace {

// Uniform within the bound: all inside, and of many numbers some come near it and the mean is near 0.
void check_uniform(const tensor& t, double bound) {
  const std::vector<double> all = values(t);
  double sum = 0, greatest = 0;
  for (const double x : all) {
    sum += x;
    greatest = std::max(greatest, std::abs(x));
  }
  CHECK(greatest <= bound);
  CHECK(greatest > 0.9 * bound);
  CHECK(std::abs(sum / static_cast<double>(all.size())) < 0.2 * bound);
}

}  // namespace

TEST_CASE("linear: uniform within 1 / sqrt(inputs), x @ weight.t() + bias", "[training][layers]") {
  const nn::linear layer(64, 128, tb::generator(1));
  check_uniform(layer.weight, 1.0 / 8);
  check_uniform(layer.bias, 1.0 / 8);
  CHECK(layer.weight.sizes() == tb::shape{128, 64});
  CHECK((tb::requires_grad(layer.weight) && tb::requires_grad(layer.bias)));
  const tensor x = aten::ones(tb::shape{2, 64});
  CHECK(values(layer(x)) == values(aten::linear(x, layer.weight, layer.bias)));
  const nn::linear plain(3, 2, tb::generator(1), {.bias = false, .type = tb::dtype::float64});
  CHECK_FALSE(plain.bias.defined());
  CHECK(plain(aten::ones(tb::shape{1, 3}, tb::arg<"dtype"> = tb::dtype::float64)).dtype() == tb::dtype::float64);
}

TEST_CASE("modules: a seed determines a module, and a generator advances", "[training][layers]") {
  const auto numbers = [](const auto& layer) {
    std::vector<std::vector<double>> all;
    for (const tensor& p : tb::parameters(layer)) all.push_back(values(p));
    return all;
  };
  const auto check = [&](auto make) {
    const tb::generator both(1);
    const auto first = numbers(make(both)), second = numbers(make(both)), other = numbers(make(tb::generator(2)));
    CHECK(first == numbers(make(tb::generator(1))));
    for (std::size_t i = 0; i < first.size(); ++i) {
      CHECK(first[i] != second[i]);
      CHECK(first[i] != other[i]);
    }
  };
  check([](const tb::generator& random) { return nn::linear(8, 8, random); });
  check([](const tb::generator& random) { return nn::conv2d(2, 8, 3, random); });
  check([](const tb::generator& random) { return nn::embedding(8, 8, random); });
}

TEST_CASE("conv2d: uniform within 1 / sqrt(inputs / groups * window^2), with its options", "[training][layers]") {
  const nn::conv2d layer(8, 16, 3, tb::generator(1), {.stride = 2, .padding = 1, .groups = 2});
  CHECK(layer.weight.sizes() == tb::shape{16, 4, 3, 3});
  check_uniform(layer.weight, 1.0 / 6);
  const tensor x = aten::ones(tb::shape{1, 8, 5, 5});
  const tensor wanted =
      aten::conv2d(x, layer.weight, layer.bias, tb::arg<"stride"> = 2, tb::arg<"padding"> = 1, tb::arg<"groups"> = 2);
  CHECK(layer(x).sizes() == tb::shape{1, 16, 3, 3});
  CHECK(values(layer(x)) == values(wanted));
  CHECK_FALSE(nn::conv2d(1, 1, 1, tb::generator(1), {.bias = false}).bias.defined());
}

TEST_CASE("layer_norm: ones and zeros, rows of mean 0 and variance 1", "[training][layers]") {
  const nn::layer_norm layer({4}, {.epsilon = 0, .type = tb::dtype::float64});
  const tensor x = support::tensor_of({1, 1, 3, 3, -2, 2, -2, 2}, {2, 4});
  CHECK(support::difference(values(layer(x)), {-1, -1, 1, 1, -1, 1, -1, 1}, 1e-14) == "");
  CHECK(values(layer.bias) == std::vector<double>{0, 0, 0, 0});
  CHECK(tb::requires_grad(layer.weight));
}

TEST_CASE("embedding: rows of a normally distributed table", "[training][layers]") {
  const nn::embedding table(50, 40, tb::generator(3));
  double squares = 0;
  for (const double x : values(table.weight)) squares += x * x;
  CHECK(std::abs(squares / 2000 - 1) < 0.2);
  const tensor rows = table(tb::from_values<std::int64_t>({7, 0, 7}, {3}));
  CHECK(rows.sizes() == tb::shape{3, 40});
  CHECK(values(tb::index(rows, 2)) == values(tb::index(table.weight, 7)));
  CHECK(tb::requires_grad(table.weight));
}

TEST_CASE("dropout: active only in training", "[training][layers]") {
  nn::dropout half(0.5);
  const tensor x = aten::ones(tb::shape{1000});
  const std::vector<double> dropped = values(half(x));
  const auto zeros = std::ranges::count(dropped, 0.0), twos = std::ranges::count(dropped, 2.0);
  CHECK(zeros + twos == 1000);
  CHECK((zeros > 400 && zeros < 600));
  tb::set_training(half, false);
  CHECK(values(half(x)) == values(x));
}

TEST_CASE("modules: invalid options are refused", "[training][layers]") {
  CHECK(text_of<tb::error>([] { nn::linear(0, 1); }) == "nn::linear: found inputs=0, wanted 1 or more");
  CHECK(text_of<tb::error>([] { nn::linear(1, -1); }) == "nn::linear: found outputs=-1, wanted 1 or more");
  CHECK(text_of<tb::error>([] { nn::conv2d(1, 1, 0); }) == "nn::conv2d: found window=0, wanted 1 or more");
  CHECK(text_of<tb::error>([] { nn::conv2d(1, 1, 1, tb::generator(1), {.groups = 0}); }) ==
        "nn::conv2d: found groups=0, wanted 1 or more");
  CHECK(text_of<tb::error>([] { nn::conv2d(4, 6, 1, tb::generator(1), {.groups = 4}); }) ==
        "nn::conv2d: found groups=4 for 4 inputs and 6 outputs, wanted a divisor of both");
  CHECK(text_of<tb::error>([] { nn::embedding(0, 1); }) == "nn::embedding: found count=0, wanted 1 or more");
  CHECK(text_of<tb::error>([] { nn::dropout(1.5); }) == "nn::dropout: found p=1.5, wanted a number from 0 to 1");
}
