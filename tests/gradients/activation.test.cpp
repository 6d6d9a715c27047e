// Gradients of activations.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <limits>
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

namespace {

// The gradients of activations and of losses of elements.
struct gradient_operator {
  std::string name;
  std::vector<tb::shape> shapes;
  std::function<tensor(in)> call;
  std::vector<double> not_near = {};
};
const std::vector<tb::shape> pair = {{2, 3}, {2, 3}};
const std::vector<gradient_operator> gradient_operators = {
    {"tanh_backward", pair, [](in x) { return aten::tanh_backward(x[0], x[1]); }},
    {"sigmoid_backward", pair, [](in x) { return aten::sigmoid_backward(x[0], x[1]); }},
    {"silu_backward", pair, [](in x) { return aten::silu_backward(x[0], x[1]); }},
    {"gelu_backward", pair, [](in x) { return aten::gelu_backward(x[0], x[1]); }},
    {"gelu_backward by tanh", pair,
     [](in x) { return aten::gelu_backward(x[0], x[1], tb::arg<"approximate"> = "tanh"); }},
    {"mish_backward", pair, [](in x) { return aten::mish_backward(x[0], x[1]); }},
    {"softplus_backward", pair, [](in x) { return aten::softplus_backward(x[0], x[1], 2, 3); }, {1.5}},
    {"softplus_backward of log_sigmoid", pair,
     [](in x) { return aten::softplus_backward(x[0], x[1], -1, std::numeric_limits<double>::infinity()); }},
    {"elu_backward", pair, [](in x) { return aten::elu_backward(x[0], 1.5, 0.7, 0.4, false, x[1]); }, {0}},
    {"elu_backward of the result", pair, [](in x) { return aten::elu_backward(x[0], 1.5, 0.7, 0.4, true, x[1]); }, {0}},
    {"leaky_relu_backward", pair, [](in x) { return aten::leaky_relu_backward(x[0], x[1], 0.3, false); }, {0}},
    {"hardswish_backward", pair, [](in x) { return aten::hardswish_backward(x[0], x[1]); }, {-3, 3}},
    {"hardsigmoid_backward", pair, [](in x) { return aten::hardsigmoid_backward(x[0], x[1]); }, {-3, 3}},
    {"clamp_backward", pair, [](in x) { return tb::native::clamp_backward(x[0], x[1], -0.5, 1); }, {-0.5, 1}},
    {"hardshrink_backward", pair, [](in x) { return aten::hardshrink_backward(x[0], x[1], 0.5); }, {-0.5, 0.5}},
    {"softshrink_backward", pair, [](in x) { return aten::softshrink_backward(x[0], x[1], 0.5); }, {-0.5, 0.5}},
    {"glu_backward", {{2, 3}, {4, 3}}, [](in x) { return aten::glu_backward(x[0], x[1], 0); }},
    {"_prelu_kernel", {{2, 3}, {3}}, [](in x) { return aten::_prelu_kernel(x[0], x[1]); }, {0}},
    {"prelu_backward", {{2, 3}, {2, 3}, {3}}, [](in x) { return tb::native::prelu_backward(x[0], x[1], x[2]); }, {0}},
    {"prelu_weight_backward", pair, [](in x) { return tb::native::prelu_weight_backward(x[0], x[1]); }, {0}},
    {"squared_difference_backward",
     {{2, 3}, {3}, {2, 1}},
     [](in x) { return tb::native::squared_difference_backward(x[0], x[1], x[2]); }},
    {"smooth_l1_backward",
     {{2, 3}, {2, 3}, {2, 3}},
     [](in x) { return tb::native::smooth_l1_backward(x[0], x[1], x[2], 5); }},
    {"huber_backward", {{2, 3}, {2, 3}, {2, 3}}, [](in x) { return tb::native::huber_backward(x[0], x[1], x[2], 5); }},
};

}  // namespace

TEST_CASE("activation gradients: gradients of the gradients", "[gradients]") {
  for (const gradient_operator& f : gradient_operators) {
    check_gradients({f.name, f.shapes, [&](in x) { return out{f.call(x)}; }, -2, 2, f.not_near});
  }
}

// The kernel of a gradient, and the operators that it is composed of where it is recorded, or on devices without it.
TEST_CASE("activation gradients: the kernel and its parts give the same", "[gradients]") {
  for (const gradient_operator& f : gradient_operators) {
    INFO(f.name);
    for (const double reach : {0.1, 1.0, 6.0, 40.0}) {
      std::vector<tensor> given;
      for (const tb::shape& sizes : f.shapes) {
        given.push_back(aten::rand(sizes, tb::arg<"dtype"> = tb::dtype::float64) * (2 * reach) - reach);
      }
      const auto kernel = values(f.call(given));
      for (tensor& x : given) x = tb::require_grad(x);
      CHECK(support::difference(values(f.call(given)), kernel, 1e-12) == "");
    }
  }
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
