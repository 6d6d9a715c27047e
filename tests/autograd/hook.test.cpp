#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

TEST_CASE("hook: sees the whole gradient of a tensor once, and may replace it", "[autograd][hook]") {
  const tensor x = leaf({1, 2});
  const tensor y = x * 2;
  std::vector<list> seen;
  tb::add_hook(y, [&](const tensor& g) {
    seen.push_back(values(g));
    return g * 10;
  });
  tb::backward(aten::sum(y * y + y));  // the gradient of y is 2y + 1, of two paths
  CHECK(seen == std::vector<list>{{5, 9}});
  CHECK(values(tb::leaf_grad(x)) == list{100, 180});
}

TEST_CASE("hook: those of a tensor run in the order they were added, and not after remove()", "[autograd][hook]") {
  const tensor x = leaf({1});
  std::string order;
  const auto note = [&](char which) {
    return [&order, which](const tensor&) {
      order += which;
      return tensor();
    };
  };
  tb::hook a = tb::add_hook(x, note('a'));
  tb::add_hook(x, note('b'));
  tb::backward(x * 3);
  CHECK(order == "ab");
  a.remove();
  a.remove();
  tb::backward(x * 3);
  CHECK(order == "abb");
  CHECK(values(tb::leaf_grad(x)) == list{6});
}

TEST_CASE("hook: of a leaf changes the accumulated gradient, and a post-accumulate hook sees it", "[autograd][hook]") {
  const tensor x = leaf({1, 2});
  tb::add_hook(x, [](const tensor& g) { return -g; });
  list gathered;
  tb::add_post_accumulate_hook(x, [&](const tensor& g) { gathered = values(g); });
  tb::backward(aten::sum(x));
  tb::backward(aten::sum(x));
  CHECK(values(tb::leaf_grad(x)) == list{-2, -2});
  CHECK(gathered == list{-2, -2});
}

TEST_CASE("hook: of a call sees the gradients of results before, and of inputs after its rule", "[autograd][hook]") {
  const tensor x = leaf({2}), w = leaf({5});
  const tensor y = x * w;
  list before, after;
  tb::add_before_hook(y, [&](std::span<tensor> of_results) {
    before = values(of_results[0]);
    of_results[0] = of_results[0] * 2;
  });
  tb::add_after_hook(y, [&](std::span<tensor> of_inputs, std::span<const tensor>) {
    after = {values(of_inputs[0])[0], values(of_inputs[1])[0]};
    of_inputs[1] = of_inputs[1] + 1;
  });
  tb::backward(y * 3);
  CHECK(before == list{3});
  CHECK(after == list{30, 12});
  CHECK(values(tb::leaf_grad(x)) == list{30});
  CHECK(values(tb::leaf_grad(w)) == list{13});
}

TEST_CASE("hook: retain_grad() keeps the gradient of a result", "[autograd][hook]") {
  const tensor x = leaf({1, 2});
  const tensor y = x * 2, z = y * 3;
  tb::retain_grad(y);
  tb::retain_grad(x);  // a leaf has it anyway
  tb::backward(aten::sum(z), {}, {.retain_graph = true});
  CHECK(values(tb::leaf_grad(y)) == list{3, 3});
  CHECK_FALSE(tb::leaf_grad(z).defined());
  CHECK(values(tb::leaf_grad(x)) == list{6, 6});
  tb::backward(aten::sum(y * 2));
  CHECK(values(tb::leaf_grad(y)) == list{5, 5});
  tb::zero_grad(y);
  CHECK_FALSE(tb::leaf_grad(y).defined());
}

TEST_CASE("hook: a hook on a result does not keep its gradient", "[autograd][hook]") {
  const tensor x = leaf({1, 2});
  const tensor y = x * 2;
  const tb::hook seen = tb::add_hook(y, [](const tensor&) { return tensor(); });
  tb::backward(aten::sum(y));
  CHECK_FALSE(tb::leaf_grad(y).defined());
  CHECK(values(tb::leaf_grad(x)) == list{2, 2});
}

TEST_CASE("hook: on one of several results sees that result's gradient", "[autograd][hook]") {
  const tensor x = tb::require_grad(tensor_of({3, 1, 2, 6, 5, 4}, {2, 3}));
  const auto [out, mean, rstd] =
      aten::native_layer_norm(x, std::vector<std::int64_t>{3}, std::nullopt, std::nullopt, 1e-5);
  int calls = 0;
  tb::add_hook(out, [&](const tensor& g) {
    ++calls;
    CHECK(g.sizes() == tb::shape{2, 3});
    return tensor();
  });
  tb::backward(aten::sum(out * out));
  CHECK(calls == 1);
}

TEST_CASE("hook: a tensor without a gradient, or without a call, is refused", "[autograd][hook]") {
  const auto nothing = [](const tensor&) { return tensor(); };
  CHECK(text_of<tb::error>([&] { tb::add_hook(tensor_of({1}, {1}), nothing); }) ==
        "add_hook: found a tensor that needs no gradient, wanted one that requires a gradient");
  CHECK_THROWS_AS(tb::add_hook(tensor(), nothing), tb::error);
  CHECK(text_of<tb::error>([&] { tb::add_before_hook(leaf({1}), [](std::span<tensor>) {}); }) ==
        "add_before_hook: found a leaf, wanted a result of a recorded call");
  CHECK(text_of<tb::error>([&] { tb::add_post_accumulate_hook(leaf({1}) * 2, [](const tensor&) {}); }) ==
        "add_post_accumulate_hook: found a result of a recorded call, wanted a leaf");
}

TEST_CASE("hook: a mismatched gradient is an error, and no leaf changes", "[autograd][hook]") {
  const tensor x = leaf({1, 2});
  const tensor y = aten::exp(x);
  tb::hook h = tb::add_hook(y, [](const tensor&) { return tensor_of({1}, {1}); });
  CHECK(text_of<tb::error>([&] { tb::backward(aten::sum(y), {}, {.retain_graph = true}); }) ==
        "aten::exp: a hook on its result: found a gradient of float64 [1], wanted float64 [2]; while backward ran "
        "aten::exp of aten::sum");
  CHECK_FALSE(tb::leaf_grad(x).defined());
  h.remove();
  const tensor z = aten::sum(x * 2);
  tb::backward(z);
  CHECK(values(tb::leaf_grad(x)) == list{2, 2});
}

TEST_CASE("hook: an exception is reported with the chain of operators, and the next call works", "[autograd][hook]") {
  const tensor x = leaf({1});
  const tensor y = aten::exp(x * 0);
  tb::add_hook(y, [](const tensor&) -> tensor { throw std::runtime_error("no"); });
  CHECK(text_of<tb::backward_error>([&] { tb::backward(y * 2); }) ==
        "no; while backward ran aten::exp of aten::mul.Tensor");
  CHECK(tb::grad_enabled());
  tb::backward(x * 4);
  CHECK(values(tb::leaf_grad(x)) == list{4});
}

TEST_CASE("hook: one that runs the graph it belongs to is a cycle", "[autograd][hook]") {
  const tensor x = leaf({1});
  const tensor y = aten::exp(x);
  const tensor z = y * 2;
  tb::add_hook(y, [&](const tensor&) {
    tb::backward(z, {}, {.retain_graph = true});
    return tensor();
  });
  CHECK(text_of<tb::error>([&] {
          tb::backward(z, {}, {.retain_graph = true});
        }).starts_with("aten::exp: backward reached it again from its own rule or hook, which is a cycle"));
  CHECK_FALSE(tb::leaf_grad(x).defined());
}

TEST_CASE("hook: one may run another graph", "[autograd][hook]") {
  const tensor x = leaf({1}), other = leaf({3});
  const tensor y = x * 2;
  tb::add_hook(y, [&](const tensor&) {
    const tb::enable_grad recording;
    tb::backward(other * other);
    return tensor();
  });
  tb::backward(y);
  CHECK(values(tb::leaf_grad(x)) == list{2});
  CHECK(values(tb::leaf_grad(other)) == list{6});
}

TEST_CASE("hook: runs within each other end with an error, before the stack does", "[autograd][hook]") {
  int deepest = 0;
  const std::function<void(int)> run = [&](int depth) {
    deepest = depth;
    const tb::enable_grad recording;
    const tensor x = leaf({1}), y = x * 2;
    tb::add_hook(y, [&run, depth](const tensor&) {
      run(depth + 1);
      return tensor();
    });
    tb::backward(y);
  };
  const std::string text = text_of<tb::error>([&] { run(1); });
  INFO(text);
  CHECK(deepest > 50);
  CHECK(text.starts_with("backward: found the stack of this thread exhausted by " + std::to_string(deepest - 1) +
                         " nested runs, each started by a hook or a rule of the previous one; wanted fewer, or a "
                         "thread with a larger stack"));
  const tensor x = leaf({1});
  tb::backward(x * 2);
  CHECK(values(tb::leaf_grad(x)) == list{2});
}

TEST_CASE("hook: captured objects are destroyed with the graph", "[autograd][hook]") {
  const tensor x = leaf({1, 2}), kept = tensor_of({1, 2}, {2});
  {
    const tensor y = x * 2;
    tb::add_hook(y, [kept](const tensor& g) { return g * kept; });
    CHECK(tb::author::record_of(kept).references > 1);
  }
  CHECK(tb::author::record_of(kept).references == 1);
}

TEST_CASE("hook: a stateful hook keeps its state", "[autograd][hook]") {
  const tensor x = leaf({1});
  int last = 0;
  tb::add_hook(x, [n = std::make_shared<int>(0), &last](const tensor&) {
    last = ++*n;
    return tensor();
  });
  for (int i = 0; i < 3; ++i) tb::backward(x * 2);
  CHECK(last == 3);
}

TEST_CASE("hook: a gradient returned by a before hook must match", "[autograd][hook]") {
  const tensor x = leaf({1, 2}), w = leaf({3, 4});
  const tensor y = x * w;
  tb::add_before_hook(y, [](std::span<tensor> of_results) { of_results[0] = tensor_of({1}, {1}); });
  CHECK(text_of<tb::error>([&] { tb::backward(aten::sum(y)); }) ==
        "aten::mul.Tensor: a hook before it: found a gradient of float64 [1], wanted float64 [2]; while backward ran "
        "aten::mul.Tensor of aten::sum");
}

TEST_CASE("hook: a tensor with retain_grad() may be written in place", "[autograd][hook]") {
  const tensor x = leaf({1, 2});
  tensor y = x * 2;
  tb::retain_grad(y);
  aten::mul_Scalar_(y, 3);
  tb::backward(aten::sum(y * 5));
  CHECK(values(tb::leaf_grad(y)) == list{5, 5});
  CHECK(values(tb::leaf_grad(x)) == list{30, 30});
}

TEST_CASE("hook: a post-accumulate hook that throws is the last to run", "[autograd][hook]") {
  const tensor x = leaf({1}), w = leaf({2});
  tb::add_post_accumulate_hook(x, [](const tensor&) { throw std::runtime_error("no more"); });
  CHECK(text_of<tb::backward_error>([&] { tb::backward(x * w); }).starts_with("no more"));
  CHECK(values(tb::leaf_grad(x)) == list{2});
  CHECK(values(tb::leaf_grad(w)) == list{1});
}
