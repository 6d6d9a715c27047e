// Replays give the bits of the program, or say what is different.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;
import topbit.cuda;
import topbit.graphs;

namespace tb = topbit;
using Catch::Matchers::ContainsSubstring;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using graphs::graph;
using graphs::recorder;
using tb::tensor;

namespace {

bool same_bits(const tensor& x, const tensor& y) {
  return x.sizes() == y.sizes() && x.dtype() == y.dtype() &&
         support::bytes(aten::contiguous(x)) == support::bytes(aten::contiguous(y));
}

struct network {
  tb::nn::linear hidden{8, 16}, scores{16, 3};
  static void each_parameter(auto& self, auto&& visit) {
    visit("hidden", self.hidden);
    visit("scores", self.scores);
  }
  tensor operator()(const tensor& x) const { return scores(tb::relu(hidden(x))); }
};

const tensor a = tb::tensor({{1.f, 2}, {3, 4}}), b = tb::tensor({{5.f, 6}, {7, 8}});

}  // namespace

TEST_CASE("replay: other inputs go through the same calls", "[graphs]") {
  const auto f = [](const tensor& x, const tensor& w) {
    tensor y = tb::linear(x, w);
    tb::add_(tb::select(y, 0, 0), tb::select(x, 0, 1));
    return tb::softmax(tb::cat({y, x}, 1), 1);
  };
  const graph g = graphs::record(f, a, b);
  graphs::replayer again(g);
  CHECK(same_bits(again({a, b})[0], f(a, b)));
  CHECK(same_bits(again({b, a})[0], f(b, a)));
  CHECK(again.calls() < g.nodes().size());
}

TEST_CASE("replay: a training step gives the bits of the step", "[graphs]") {
  tb::manual_seed(3);
  network net;
  const tensor x = tb::randn({4, 8}), y = tb::tensor({0, 1, 2, 1});
  tb::adam optimizer(tb::parameters(net), {.learning_rate = 0.01});
  const auto step = [&] {
    optimizer.zero_grad();
    const tensor loss = tb::cross_entropy_loss(tb::dropout(net(x), 0.25, true), y);
    tb::backward(loss);
    optimizer.step();
    return loss;
  };
  step();
  std::vector<tensor> before;
  for (const tb::named_tensor& p : tb::named_parameters(net)) before.push_back(tb::clone(tb::detach(p.value)));
  recorder r(
      {.inputs = {{"x", x}, {"y", y}}, .parameters = tb::named_parameters(net), .capture = graphs::capture::copy});
  const tensor loss = step();
  const graph g = r.finish({{"loss", loss}});
  graphs::replayer again(g);
  std::size_t i = 0;
  for (const tb::named_tensor& p : tb::named_parameters(net)) again.set_parameter(p.name, before[i++]);
  CHECK(same_bits(again({x, y})[0], loss));
  for (const tb::named_tensor& p : tb::named_parameters(net)) {
    INFO(p.name);
    CHECK(same_bits(again.parameter(p.name), tb::detach(p.value)));
  }
}

TEST_CASE("replay: inputs that do not match are refused before anything runs", "[graphs]") {
  const graph g = graphs::record([](const tensor& x) { return tb::relu(x); }, a);
  const auto refused = [&](const tensor& x) {
    return toy::text_of<graphs::graph_error>([&] { graphs::replay(g, {x}); });
  };
  CHECK(refused(tb::ones({3, 2})) == "replay: input '0': found sizes [3, 2], wanted [2, 2], those of the recording");
  CHECK(refused(tb::to(a, tb::dtype::float64)) == "replay: input '0': found float64, wanted float32");
  CHECK(refused(tb::t(a)).starts_with("replay: input '0': found strides [1, 2], wanted [2, 1]"));
  CHECK(
      refused(tensor()).starts_with("replay: input '0': found an undefined tensor, wanted %0, float32 [2, 2] on cpu"));
  CHECK(toy::text_of<graphs::graph_error>([&] { graphs::replay(g, {}); }) == "replay: found 0 inputs, wanted 1");
}

TEST_CASE("replay: an element that the program read is read again", "[graphs]") {
  const graph g = graphs::record([](const tensor& x) { return x * tb::item(tb::sum(x)); }, a);
  CHECK(same_bits(graphs::replay(g, {a})[0], a * 10.0));
  const std::string text = toy::text_of<graphs::graph_mismatch>([&] { graphs::replay(g, {b}); });
  CHECK_THAT(text, ContainsSubstring("aten::_local_scalar_dense: found 26.0, the recording has 10.0"));
  // Sizes that depend on elements.
  const graph sizes = graphs::record([](const tensor& x) { return tb::nonzero(x); }, a);
  CHECK_THAT(toy::text_of<graphs::graph_mismatch>([&] { graphs::replay(sizes, {tb::zeros({2, 2})}); }),
             ContainsSubstring("found a result of sizes [0, 2], the recording has [4, 2]"));
}

TEST_CASE("replay: random numbers are those of the recording, or go on", "[graphs]") {
  const tb::generator own(7);
  tensor first, second;
  const graph g = [&] {
    recorder r;
    first = tb::rand({5});
    second = tb::randn({5}, tb::arg<"generator"> = own);
    return r.finish({{"first", first}, {"second", second}});
  }();
  const tb::philox_state now = tb::default_generator().take(0);
  const std::vector<tensor> same = graphs::replay(g, {});
  CHECK(same_bits(same[0], first));
  CHECK(same_bits(same[1], second));
  CHECK(tb::default_generator().take(0) == now);
  const std::vector<tensor> others = graphs::replay(g, {}, {.numbers = graphs::numbers::go_on});
  CHECK_FALSE(same_bits(others[0], first));
  CHECK_FALSE(same_bits(others[1], second));
}

TEST_CASE("replay: on Meta it gives sizes without elements", "[graphs]") {
  const graph g = graphs::record(
      [](const tensor& x, const tensor& w) { return tb::softmax(tb::linear(x, w) + tb::ones({2}), 1); }, a, b);
  const tb::device meta{tb::backend::Meta};
  const auto there = [&](const tensor& t) { return tb::author::make_tensor(t.sizes(), t.dtype(), meta); };
  const tensor y = graphs::replay(g, {there(a), there(b)}, {.map = {{tb::cpu, meta}}})[0];
  CHECK(y.device() == meta);
  CHECK(y.sizes() == tb::shape{2, 2});
  CHECK(graphs::coverage(g, std::vector{std::pair(tb::cpu, meta)}).empty());
  CHECK(graphs::peak_bytes(g) >= 2 * 16 + 16);
}

TEST_CASE("replay: gradients are recorded where the recording has none and writes nothing", "[graphs]") {
  const graph g = graphs::record([](const tensor& x) { return tb::sum(x * x); }, a);
  const tensor x = tb::require_grad(tb::clone(a));
  const tensor y = graphs::replay(g, {x})[0];
  REQUIRE(tb::requires_grad(y));
  tb::backward(y);
  CHECK(same_bits(tb::leaf_grad(x), a * 2));
}

TEST_CASE("replay: what the program did without gradients has none", "[graphs]") {
  const graph g = graphs::record(
      [](const tensor& x) {
        tensor factor;
        {
          const tb::no_grad off;
          factor = tb::sum(x);
        }
        return tb::sum(x * factor);
      },
      a);
  CHECK(to_string(g).find("aten::sum(%0, dtype=None) no_grad") != std::string::npos);
  const graph again = graphs::parse_graph(to_string(g));
  const tensor x = tb::require_grad(tb::clone(a));
  tb::backward(graphs::replay(again, {x})[0]);
  CHECK(same_bits(tb::leaf_grad(x), tb::full({2, 2}, 10.0)));
}

TEST_CASE("replay: an input that the program writes is written", "[graphs]") {
  recorder r({.inputs = {{"x", tb::clone(a)}}});
  const graph none = r.finish();
  tensor x = tb::clone(a);
  recorder writes({.inputs = {{"x", x}}});
  tb::mul_(x, tb::tensor(3.f));
  const graph g = writes.finish({{"x", x}});
  const tensor other = tb::clone(b);
  const std::vector<tensor> result = graphs::replay(g, {other});
  CHECK(result[0].same_as(other));
  CHECK(same_bits(other, b * 3));
  CHECK(graphs::replay(none, {a}).empty());
}

// Of a GPU, or of the emulation that builds with -DTOPBIT_CUDA=HOST have.
TEST_CASE("replay: a training step on CUDA trains as on the CPU, and no call differs", "[graphs][cuda]") {
  if (!tb::cuda_available()) SKIP(tb::cuda_unavailable_reason());
  tb::manual_seed(3);
  const network net;
  const tensor x = tb::randn({4, 8}), y = tb::tensor({0, 1, 2, 1});
  tb::sgd optimizer(tb::parameters(net), {.learning_rate = 0.1});
  recorder r({.inputs = {{"x", x}, {"y", y}}, .parameters = tb::named_parameters(net)});
  optimizer.zero_grad();
  const tensor loss = tb::cross_entropy_loss(tb::dropout(net(x), 0.25, true), y);
  tb::backward(loss);
  optimizer.step();
  const graph g = r.finish({{"loss", loss}});
  const std::vector<std::pair<tb::device, tb::device>> to_cuda{{tb::cpu, tb::cuda()}};
  CHECK(graphs::coverage(g, to_cuda).empty());
  graphs::replayer there(g, {.map = to_cuda}), here(g);
  for (int step = 0; step < 3; ++step) {
    const tensor on_cuda = there({tb::to(x, tb::cuda()), tb::to(y, tb::cuda())})[0];
    CHECK(on_cuda.device() == tb::cuda());
    CHECK(tb::allclose(tb::to(on_cuda, tb::cpu), here({x, y})[0], 1e-5, 1e-6));
  }
  for (const tb::named_tensor& p : tb::named_parameters(net)) {
    INFO(p.name);
    CHECK(tb::allclose(tb::to(there.parameter(p.name), tb::cpu), tb::detach(here.parameter(p.name)), 1e-4, 1e-6));
  }
  for (const graphs::shadow_finding& f : graphs::shadow(g, std::vector{x, y}, {.map = to_cuda}))
    FAIL_CHECK(to_string(f));
}

TEST_CASE("replay: a graph that brings elements to the host cannot be captured, and says where", "[graphs]") {
  const graph reads = graphs::record([](const tensor& x) { return x * tb::item(tb::sum(x)); }, a);
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::check_capturable(reads); }),
             ContainsSubstring("wanted none in what is captured:\n  node 1, aten::_local_scalar_dense"));
}

TEST_CASE("replay: is captured as a CUDA graph", "[graphs][cuda]") {
  if (!tb::cuda_available()) SKIP(tb::cuda_unavailable_reason());
  const graph g = graphs::record([](const tensor& x) { return tb::relu(tb::mm(x, x) * 0.5 - 3); }, a);
  graphs::check_capturable(g);
  graphs::replayer there(g, {.map = {{tb::cpu, tb::cuda()}}});
  const tensor x = tb::to(a, tb::cuda());
  tensor y;
  const auto work = [&] { y = there({x})[0]; };
  work();
  const tb::cuda_graph captured = tb::cuda_graph::capture(work, tb::cuda());
  tensor input = x;
  aten::copy_(input, tb::to(b, tb::cuda()));
  captured.replay();
  CHECK(tb::allclose(tb::to(y, tb::cpu), graphs::replay(g, {b})[0]));
}
