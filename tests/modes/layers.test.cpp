// Modes beside the other layers, and all at once: a classifier trained through modes, autocast, vmap and grad_of has
// the same bits as one with their effects written by hand.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <tuple>
#include <vector>

import topbit;
import topbit.autocast;
import topbit.modes;
import topbit.transform;

namespace tb = topbit;
namespace modes = topbit::modes;
using tb::tensor;

namespace {

struct weights {
  tensor first = tb::randn({16, 8}, tb::arg<"generator"> = tb::generator(1)) * 0.5;
  tensor second = tb::randn({4, 16}, tb::arg<"generator"> = tb::generator(2)) * 0.5;
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("second", self.second);
  }
  void step(const weights& gradient) {
    first = first - gradient.first * 0.1;
    second = second - gradient.second * 0.1;
  }
};
const tensor xs = tb::randn({32, 8}, tb::arg<"generator"> = tb::generator(3));
const tensor ys = tb::randn({32, 4}, tb::arg<"generator"> = tb::generator(4));

// One example, in float32.
tensor loss_of_one(const weights& w, const tensor& x, const tensor& y) {
  return tb::mse_loss(tb::linear(tb::relu(tb::linear(x, w.first)), w.second), y);
}

weights by_layers(int steps, int& calls) {
  const auto count = [&](modes::call& c) {
    ++calls;
    c.proceed();
  };
  weights w;
  const auto loss = [](const weights& of, const tensor& x, const tensor& y) {
    return tb::mean(tb::vmap(loss_of_one, {.in = {tb::unmapped, 0, 0}})(of, x, y));
  };
  for (int i = 0; i < steps; ++i) {
    const modes::scope above(count, modes::above), below(count, modes::below);
    const tb::autocast low(tb::backend::CPU);
    w.step(tb::grad_of(loss)(w, xs, ys));
  }
  return w;
}

weights by_hand(int steps) {
  const auto low = [](const tensor& t) { return tb::to(t, tb::dtype::bfloat16); };
  weights w;
  for (int i = 0; i < steps; ++i) {
    const tensor first = tb::require_grad(tb::detach(w.first)), second = tb::require_grad(tb::detach(w.second));
    const tensor hidden = tb::relu(tb::linear(low(xs), low(first)));
    const tensor difference = tb::to(tb::linear(hidden, low(second)), tb::dtype::float32) - ys;
    const tensor loss = tb::mean(tb::mean(difference * difference, {1}));
    tb::backward(loss);
    weights gradient;
    gradient.first = tb::leaf_grad(first);
    gradient.second = tb::leaf_grad(second);
    w.step(gradient);
  }
  return w;
}

}  // namespace

TEST_CASE("modes: below batching and autocast", "[modes]") {
  const tensor a = tb::tensor({{1.f, 2}, {3, 4}}), b = tb::tensor({{5.f, 6}, {7, 8}});
  std::vector<tb::shape> sizes;
  std::vector<tb::dtype> types;
  const auto look = [&](modes::call& c) {
    if (c.op().name() == "aten::mm") {
      sizes.push_back(c.arguments()[0].get<tensor>().sizes());
      types.push_back(c.arguments()[0].get<tensor>().dtype());
    }
    c.proceed();
  };
  const auto f = [&](const tensor& x) { return tb::mm(x, b); };
  const tensor batch = tb::ones({3, 2, 2});
  {
    const modes::scope on(look, modes::above);
    tb::vmap(f)(batch);
    const tb::autocast low(tb::backend::CPU);
    f(a);
  }
  CHECK(sizes == std::vector<tb::shape>{{2, 2}, {2, 2}});
  CHECK(types == std::vector<tb::dtype>{tb::dtype::float32, tb::dtype::float32});
  sizes.clear();
  types.clear();
  const modes::scope on(look, modes::below);
  tb::vmap(f)(batch);
  {
    const tb::autocast low(tb::backend::CPU);
    f(a);
  }
  REQUIRE(types.size() == 2);
  CHECK(sizes[0] == tb::shape{6, 2});
  CHECK(types[1] == tb::dtype::bfloat16);
}

TEST_CASE("layers: batching under autocast has the dtypes and the elements of a loop", "[autocast][vmap]") {
  const auto drawn = [](tb::shape sizes, int seed) {
    return tb::randn(sizes, tb::arg<"generator"> = tb::generator(seed));
  };
  const tensor as = drawn({3, 4, 4}, 1), bs = drawn({3, 4, 4}, 2), labels = tb::tensor({2, 0, 1, 3});
  const auto low = [](const tensor& t) { return tb::to(t, tb::dtype::bfloat16); };
  const auto check = [&](const char* what, auto f) {
    INFO(what);
    const tb::autocast scope(tb::backend::CPU);
    const tensor found = tb::vmap(f)(as, bs);
    std::vector<tensor> each;
    for (std::int64_t i = 0; i < 3; ++i) each.push_back(f(as[i], bs[i]));
    const tb::autocast off(tb::backend::CPU, {.enabled = false});
    const tensor wanted = tb::stack(each, 0);
    CHECK(found.dtype() == wanted.dtype());
    const double near = found.dtype() == tb::dtype::float32 ? 1e-5 : 1e-2;
    CHECK(tb::allclose(tb::to(found, tb::dtype::float32), tb::to(wanted, tb::dtype::float32), near, near));
  };
  check("cross_entropy", [&](const tensor& x, const tensor&) { return tb::cross_entropy_loss(low(x), labels); });
  check("l1_loss", [&](const tensor& x, const tensor& y) { return tb::l1_loss(low(x), low(y)); });
  check("binary_cross_entropy_with_logits", [&](const tensor& x, const tensor& y) {
    return tb::binary_cross_entropy_with_logits(low(x), tb::sigmoid(low(y)));
  });
  check("trace", [&](const tensor& x, const tensor&) { return tb::trace(low(x)); });
  check("mm", [](const tensor& x, const tensor& y) { return tb::mm(x, y); });
  check("mv", [](const tensor& x, const tensor& y) { return tb::mv(x, y[0]); });
  check("dot", [](const tensor& x, const tensor& y) { return tb::dot(x[0], y[1]); });
  check("inner", [](const tensor& x, const tensor& y) { return tb::inner(x, y); });
  check("cdist", [&](const tensor& x, const tensor& y) { return tb::cdist(low(x), low(y)); });
  check("layer_norm", [&](const tensor& x, const tensor& y) { return tb::layer_norm(low(x), {4}, y[0], y[1]); });
  check("the means of a layer_norm", [&](const tensor& x, const tensor& y) {
    return std::get<1>(tb::native_layer_norm(low(x), {4}, y[0], std::nullopt, 1e-5));
  });
  check("rms_norm", [&](const tensor& x, const tensor& y) { return tb::rms_norm(low(x), {4}, y[0]); });
  check("the gradient of the weight of a layer_norm", [&](const tensor& x, const tensor& y) {
    const auto [normal, means, rstds] = tb::native_layer_norm(low(x), {4}, y[0], std::nullopt, 1e-5);
    return std::get<1>(tb::native_layer_norm_backward(normal, low(x), {4}, means, rstds, y[0], std::nullopt,
                                                      std::array{false, true, false}));
  });
}

TEST_CASE("modes: all layers at once train to the bits of their effects by hand", "[modes]") {
  int calls = 0;
  const weights layers = by_layers(5, calls), hand = by_hand(5);
  CHECK(calls > 100);
  CHECK(layers.first.dtype() == tb::dtype::float32);
  CHECK(tb::equal(layers.first, hand.first));
  CHECK(tb::equal(layers.second, hand.second));
  CHECK_FALSE(tb::equal(layers.first, weights().first));
}
