// Random fills in place: the gradient of what was there before is zero, as PyTorch has it.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

struct random_fill {
  std::string name;
  tensor& (*run)(tensor& t, const tb::generator& g);
};
const random_fill fills[] = {
    {"aten::uniform_", [](tensor& t, const tb::generator& g) -> tensor& { return aten::uniform_(t, 1, 2, g); }},
    {"aten::normal_", [](tensor& t, const tb::generator& g) -> tensor& { return aten::normal_(t, 0, 1, g); }},
    {"aten::exponential_", [](tensor& t, const tb::generator& g) -> tensor& { return aten::exponential_(t, 1, g); }},
    {"aten::random_", [](tensor& t, const tb::generator& g) -> tensor& { return aten::random_(t, g); }},
    {"aten::random_.to", [](tensor& t, const tb::generator& g) -> tensor& { return aten::random_to_(t, 9, g); }},
    {"aten::random_.from", [](tensor& t, const tb::generator& g) -> tensor& { return aten::random_from_(t, 1, 9, g); }},
    {"aten::bernoulli_.float",
     [](tensor& t, const tb::generator& g) -> tensor& { return aten::bernoulli_float_(t, 0.5, g); }},
    {"aten::bernoulli_.Tensor",
     [](tensor& t, const tb::generator& g) -> tensor& { return aten::bernoulli_Tensor_(t, tensor_of({0.5}, {1}), g); }},
};

}  // namespace

TEST_CASE("random fills: the gradient of the old elements is zero, and the numbers are the generator's",
          "[gradients]") {
  for (const random_fill& fill : fills) {
    INFO(fill.name);
    const tensor x = leaf({1, 2, 3});
    tensor y = x * 2, plain = tensor_of({2, 4, 6}, {3});
    CHECK(fill.run(y, tb::generator(5)).same_as(y));
    fill.run(plain, tb::generator(5));
    CHECK(values(y) == values(plain));
    CHECK(tb::requires_grad(y));
    tb::backward(aten::sum(y * y) + aten::sum(x));
    CHECK(values(tb::leaf_grad(x)) == list{1, 1, 1});
  }
}

TEST_CASE("random fills: of a view, zero in the view only", "[gradients]") {
  for (const random_fill& fill : fills) {
    INFO(fill.name);
    const tensor x = tb::require_grad(tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}));
    tensor y = x * 2;
    tensor column = aten::select_int(y, 1, 1);
    fill.run(column, tb::generator(5));
    tb::backward(aten::sum(y * 3));
    CHECK(values(tb::leaf_grad(x)) == list{6, 0, 6, 6, 0, 6});
  }
}

TEST_CASE("random fills: a leaf that requires a gradient is refused and unchanged, unless under no_grad",
          "[gradients]") {
  for (const random_fill& fill : fills) {
    INFO(fill.name);
    tensor x = leaf({21, 22});
    CHECK(text_of<tb::error>([&] {
            fill.run(x, tb::generator(5));
          }).starts_with(fill.name + ": writes in place to a leaf that requires a gradient"));
    CHECK(values(x) == list{21, 22});
    const tb::no_grad guard;
    fill.run(x, tb::generator(5));
    CHECK(values(x) != list{21, 22});
    CHECK(x.version() == 1);
  }
}

TEST_CASE("random fills: the gradient of probabilities is zero, also of a tensor without a gradient", "[gradients]") {
  const tensor p = leaf({0.25, 0.5}), x = leaf({1, 2});
  tensor y = tensor_of({1, 2}, {2}), z = x * 2;
  aten::bernoulli_Tensor_(y, p, tb::generator(5));
  aten::bernoulli_Tensor_(z, p, tb::generator(5));
  CHECK(tb::requires_grad(y));
  tb::backward(aten::sum(y + z + p + x));
  CHECK(values(tb::leaf_grad(p)) == list{1, 1});
  CHECK(values(tb::leaf_grad(x)) == list{1, 1});
}

TEST_CASE("random fills: a write to a saved tensor is detected", "[gradients]") {
  const tensor x = leaf({1, 2});
  tensor y = x * 2;
  const tensor square = y * y;
  aten::uniform_(y);
  CHECK(text_of<tb::error>([&] { tb::backward(aten::sum(square)); })
            .starts_with("aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by "
                         "aten::uniform_: found version 1, wanted 0"));
}
