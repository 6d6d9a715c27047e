// Gradients of activations.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/elementwise_functions.h"
#include "support/gradient_cases.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::activations;
using support::check_gradients;
using support::unary_function;
using support::values;
using tb::tensor;
using in = std::span<const tensor>;
using out = support::tensor_list;

namespace {

std::vector<double> slopes(const std::function<tensor(const tensor&)>& f, const std::vector<double>& at) {
  const tensor x = tb::require_grad(support::tensor_of(at, {static_cast<std::int64_t>(at.size())}, tb::dtype::float64));
  return values(tb::grad(aten::sum(f(x)), x));
}
std::string unlike(const std::vector<double>& found, const std::vector<double>& wanted) {
  return support::difference(found, wanted, 1e-7);
}

}  // namespace

TEST_CASE("activation gradients: every activation", "[gradients]") {
  for (const unary_function& f : activations) {
    check_gradients({f.name, {{3, 4}}, [&](in x) { return out{f.call(x[0])}; }, f.low, f.high, f.not_near});
  }
}

TEST_CASE("activation gradients: every activation in place", "[gradients]") {
  for (const unary_function& f : activations) {
    if (!f.call_in_place) continue;
    check_gradients({f.name + "_",
                     {{2, 3}},
                     [&](in x) {
                       tensor y = aten::clone(x[0]);
                       f.call_in_place(y);
                       return out{y};
                     },
                     f.low,
                     f.high,
                     f.not_near});
  }
}

TEST_CASE("activation gradients: prelu, with one weight and one for each channel", "[gradients]") {
  check_gradients({"prelu", {{2, 3}, {1}}, [](in x) { return out{aten::prelu(x[0], x[1])}; }});
  check_gradients({"prelu", {{2, 3, 2}, {3}}, [](in x) { return out{aten::prelu(x[0], x[1])}; }});
  check_gradients({"prelu", {{4}, {}}, [](in x) { return out{aten::prelu(x[0], x[1])}; }});
}

TEST_CASE("activation gradients: of a zero-dimensional and an empty tensor", "[gradients]") {
  for (const tb::shape& sizes : {tb::shape{}, tb::shape{0, 3}}) {
    for (const unary_function& f : activations) {
      if (f.name.starts_with("glu")) continue;
      check_gradients({f.name, {sizes}, [&](in x) { return out{f.call(x[0])}; }, 0.3, 0.9, f.not_near});
    }
  }
}

TEST_CASE("activation gradients: threshold_backward", "[gradients]") {
  check_gradients({"threshold_backward",
                   {{2, 3}, {2, 3}},
                   [](in x) { return out{aten::threshold_backward(x[0], x[1], 0.5)}; },
                   -2,
                   2,
                   {0.5}});
}

// PyTorch 2.15 gives these.
TEST_CASE("activation gradients: at corners", "[gradients]") {
  using X = const tensor&;
  CHECK(unlike(slopes([](X x) { return aten::relu(x); }, {0, -1, 1}), {0, 0, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::relu6(x); }, {0, 6, 3, 7}), {0, 0, 1, 0}) == "");
  CHECK(unlike(slopes([](X x) { return aten::hardtanh(x); }, {-1, 1, 0}), {0, 0, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::leaky_relu(x); }, {0, -1, 1}), {0.01, 0.01, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::elu(x); }, {0, -1, 1}), {1, 0.36787944117144233, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::elu(x, 2); }, {0, -1, 1}), {2, 0.7357588823428847, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::hardsigmoid(x); }, {-3, 3, 0}), {0, 0, 1.0 / 6}) == "");
  CHECK(unlike(slopes([](X x) { return aten::hardswish(x); }, {-3, 3, 0, 4, -4}), {0, 1, 0.5, 1, 0}) == "");
  CHECK(unlike(slopes([](X x) { return aten::softplus(x); }, {20, 20.5, -800, 800}), {0.9999999979388464, 1, 0, 1}) ==
        "");
  CHECK(unlike(slopes([](X x) { return aten::softplus(x, 2, 4); }, {2, 2.1}), {0.9820137900379085, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::mish(x); }, {0, 100, -100}), {0.6, 1, 0}) == "");
  CHECK(unlike(slopes([](X x) { return aten::log_sigmoid(x); }, {0, 800, -800}), {0.5, 0, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::gelu(x); }, {0, -100, 100}), {0.5, 0, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::gelu(x, tb::arg<"approximate"> = "tanh"); }, {0, -100, 100}),
               {0.5, 0, 1}) == "");
  CHECK(unlike(slopes([](X x) { return aten::threshold(x, 1, 5); }, {1, 2, 0}), {0, 1, 0}) == "");
  CHECK(unlike(slopes([](X x) { return aten::hardshrink(x); }, {0.5, -0.5, 1, 0}), {0, 0, 1, 0}) == "");
  CHECK(unlike(slopes([](X x) { return aten::softshrink(x); }, {0.5, -0.5, 1, 0}), {0, 0, 1, 0}) == "");
}

TEST_CASE("activation gradients: a NaN does not propagate where the slope is 0", "[gradients]") {
  using X = const tensor&;
  const double nan = std::nan("");
  const auto of = [&](const std::function<tensor(X)>& f, const std::vector<double>& at) {
    const auto n = static_cast<std::int64_t>(at.size());
    const tensor x = tb::require_grad(support::tensor_of(at, {n}));
    const tensor given = support::tensor_of(std::vector(at.size(), nan), {n});
    return values(tb::grad({f(x)}, {x}, {.gradients = {given}})[0]);
  };
  CHECK(unlike(of([](X x) { return aten::softshrink(x); }, {0, 0.5, -0.5, 1, -1, nan}), {0, 0, 0, nan, nan, nan}) ==
        "");
  CHECK(unlike(of([](X x) { return aten::hardshrink(x); }, {0, 0.5, 1}), {0, 0, nan}) == "");
  CHECK(unlike(of([](X x) { return aten::hardswish(x); }, {-4, -3, 0, 4}), {0, 0, nan, nan}) == "");
  CHECK(unlike(of([](X x) { return aten::hardsigmoid(x); }, {-4, 4, 0}), {0, 0, nan}) == "");
  CHECK(unlike(of([](X x) { return aten::hardtanh(x); }, {-4, 4, 0}), {0, 0, nan}) == "");
  CHECK(unlike(of([](X x) { return aten::threshold(x, 1, 5); }, {0, 2}), {0, nan}) == "");
  CHECK(unlike(of([](X x) { return aten::relu(x); }, {-1, 1}), {0, nan}) == "");
}

TEST_CASE("activation gradients: gradients of gradients are zeros or finite far from 0", "[gradients]") {
  const auto twice = [](const std::function<tensor(const tensor&)>& f, double at) {
    const tensor x = tb::require_grad(support::tensor_of({at}, {1}, tb::dtype::float32));
    const tensor once = tb::grad(aten::sum(f(x)), x, {.create_graph = true});
    return values(tb::grad(aten::sum(once), x))[0];
  };
  CHECK(twice([](const tensor& x) { return aten::relu(x); }, 1) == 0);
  CHECK(twice([](const tensor& x) { return aten::elu(x); }, 200) == 0);
  CHECK(twice([](const tensor& x) { return aten::elu(x, 2); }, 200) == 0);
  CHECK(twice([](const tensor& x) { return aten::elu(x); }, 0) == 0);
  CHECK(twice([](const tensor& x) { return aten::softplus(x); }, 200) == 0);
  CHECK(twice([](const tensor& x) { return aten::mish(x); }, 200) == 0);
}

// Those that keep their argument let the next layer write to their result, as in PyTorch.
TEST_CASE("activation gradients: all results but relu's may be written to", "[gradients]") {
  for (const unary_function& f : activations) {
    if (f.name == "relu") continue;
    INFO(f.name);
    const tensor x = tb::require_grad(support::tensor_of({0.5, 0.25}, {1, 2}, tb::dtype::float64));
    tensor y = f.call(x);
    const std::vector<double> before = values(tb::grad(aten::sum(y), x, {.retain_graph = true}));
    aten::mul_Scalar_(y, 2);
    const std::vector<double> after = values(tb::grad(aten::sum(y), x));
    CHECK(after[0] == 2 * before[0]);
  }
}
