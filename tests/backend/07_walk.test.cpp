#include "devices.h"

#include <catch2/generators/catch_generators.hpp>
#include <optional>
#include <string>
#include <utility>

#include "support/raises.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

namespace {

// A linear model and its loss: what a step of training or of evaluation calls.
struct step {
  tb::tensor weight, bias;
  tb::tensor forward(const tb::tensor& x) const {
    return aten::log_softmax_int(aten::relu(aten::mm(x, weight) + bias), -1);
  }
};

step model_on(tb::device where) {
  support::numbers source(3);
  return {tb::to(source.tensor({4, 3}, tb::dtype::float32), where),
          tb::to(source.tensor({3}, tb::dtype::float32), where)};
}
tb::tensor inputs() { return support::numbers(4).tensor({5, 4}, tb::dtype::float32); }
tb::tensor labels() { return support::tensor_of({2, 0, 1, 1, 2}, {5}, tb::dtype::int64); }

// Where a call runs below autograd.
template <class Op, class... A>
tb::dispatch_key runs_at(const Op& op, const A&... arguments) {
  const tb::no_grad below_autograd;
  return tb::explain(op, arguments...).selected;
}

}  // namespace

TEMPLATE_TEST_CASE("backend 07: each step of a traversal runs on the device of its inputs", "[backend][07_walk]",
                   EVERY_DEVICE) {
  const tb::device where = TestType::need();
  const double tolerance = support::tolerance_of(tb::dtype::float32);
  const step host = model_on(tb::cpu), there = model_on(where);
  const tb::tensor x = tb::to(inputs(), where), target = tb::to(labels(), where);
  CHECK(runs_at(aten::mm, x, there.weight) == tb::key_of(where.type));
  const tb::tensor product = aten::mm(x, there.weight);
  rung::check(product, where, aten::mm(inputs(), host.weight), tolerance);
  CHECK(runs_at(aten::add_Tensor, product, there.bias) == tb::key_of(where.type));
  CHECK(runs_at(aten::relu, product) == tb::key_of(where.type));
  CHECK(runs_at(aten::_log_softmax, product, -1, false) == tb::key_of(where.type));
  const tb::tensor output = there.forward(x);
  rung::check(output, where, host.forward(inputs()), tolerance);
  CHECK(runs_at(aten::nll_loss_forward, output, target, std::nullopt, 1, -100) == tb::key_of(where.type));
  rung::check(aten::nll_loss(output, target), where, aten::nll_loss(host.forward(inputs()), labels()), tolerance);
}

TEMPLATE_TEST_CASE("backend 07: gradients are on the device of the weights", "[backend][07_walk]", EVERY_DEVICE) {
  const tb::device where = TestType::need();
  const auto gradients = [](tb::device d) {
    const step m = model_on(d);
    tb::require_grad(m.weight), tb::require_grad(m.bias);
    tb::backward(aten::nll_loss(m.forward(tb::to(inputs(), d)), tb::to(labels(), d)));
    return std::pair(tb::leaf_grad(m.weight), tb::leaf_grad(m.bias));
  };
  const auto [weight, bias] = gradients(where);
  const auto [wanted_weight, wanted_bias] = gradients(tb::cpu);
  const double tolerance = support::tolerance_of(tb::dtype::float32);
  rung::check(weight, where, wanted_weight, tolerance);
  rung::check(bias, where, wanted_bias, tolerance);
}

TEMPLATE_TEST_CASE("backend 07: a tensor on another device is an error that names both devices",
                   "[backend][07_walk][Y8]", EVERY_DEVICE) {
  const tb::device where = TestType::need();
  const tb::device other = GENERATE(tb::cpu, tb::meta, tb::device{tb::backend::PrivateUse1});
  if (other == where) return;
  const step there = model_on(where);
  const tb::tensor x = tb::to(inputs(), where), output = there.forward(x);
  const auto apart = [&](const char* first, tb::device a, const char* second, tb::device b) {
    return std::string(": found argument 1 '") + first + "' on " + to_string(a) + " and argument 2 '" + second +
           "' on " + to_string(b) + ", wanted one device; move one with to()";
  };
  const auto text = [](auto call) { return toy::text_of<tb::device_error>(call); };
  CHECK(text([&] { aten::nll_loss(output, tb::to(labels(), other)); }) ==
        "aten::nll_loss" + apart("self", where, "target", other));
  CHECK(text([&] { there.forward(tb::to(inputs(), other)); }) == "aten::mm" + apart("self", other, "mat2", where));
  CHECK(text([&] { aten::mm(x, model_on(other).weight); }) == "aten::mm" + apart("self", where, "mat2", other));
  CHECK(text([&] { x + tb::to(inputs(), other); }) == "aten::add.Tensor" + apart("self", where, "other", other));
}
