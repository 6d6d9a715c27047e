// What a recording has in it, and what it refuses.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.graphs;

namespace tb = topbit;
using Catch::Matchers::ContainsSubstring;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using graphs::graph;
using graphs::nothing;
using graphs::recorder;
using tb::tensor;

namespace {

using names = std::vector<std::string>;

// The operators of the calls, or with the parts of composites.
names calls_in(const graph& g, bool with_parts = false) {
  names found;
  for (std::uint32_t i = 0; i < g.nodes().size(); i = with_parts ? i + 1 : g.nodes()[i].end) {
    found.emplace_back(g.nodes()[i].op.name());
  }
  return found;
}

std::string refusal(recorder& r, std::vector<tb::named_tensor> outputs = {}) {
  try {
    r.finish(std::move(outputs));
  } catch (const graphs::graph_error& e) {
    return e.what();
  }
  return "";
}

// A composite that throws after its first part.
inline constexpr tb::op<"graphs_test::two_steps(Tensor x) -> Tensor"> two_steps;
tensor run_two_steps(const tensor& x) { return tb::mm(tb::neg(x), tb::select(x, 0, 0)); }
const auto kernels = tb::fragment("graphs_test").def(two_steps).impl<&run_two_steps>(two_steps);

// A function with a backward() of its own.
struct tripled {
  static tensor forward(tb::function_context&, const tensor& x) { return x * 3; }
  static tensor backward(tb::function_context&, const tensor& gradient) { return tb::relu(gradient * 3); }
};

const tensor a = tb::tensor({{1.f, 2}, {3, 4}}), b = tb::tensor({{5.f, 6}, {7, 8}});

}  // namespace

TEST_CASE("recorder: a composite is a node, and its parts are nodes after it", "[graphs]") {
  const graph g =
      graphs::record([](const tensor& x, const tensor& w) { return tb::mm(x, tb::swapaxes(w, 0, 1)); }, a, b);
  CHECK(calls_in(g) == names{"aten::swapaxes", "aten::mm"});
  REQUIRE(calls_in(g, true) == names{"aten::swapaxes", "aten::transpose.int", "aten::mm"});
  CHECK(g.nodes()[0].end == 2);
  CHECK(g.nodes()[1].parent == 0);
  CHECK(g.nodes()[2].parent == nothing);
  CHECK(g.inputs().size() == 2);
  CHECK(g.outputs()[0].tensor == g.results(g.nodes()[2])[0].index);
  // A view: another tensor of the same storage. The part made it.
  const auto transposed = g.results(g.nodes()[0])[0].index;
  CHECK(g.tensors()[transposed].maker == 1);
  CHECK(g.tensors()[transposed].storage == g.tensors()[g.inputs()[1].tensor].storage);
  CHECK(std::ranges::equal(g.strides(transposed), std::array{1, 2}));
}

TEST_CASE("recorder: factories are recorded, and nothing after its end", "[graphs]") {
  recorder r;
  const tensor z = tb::zeros({2, 2});
  const tensor s = tb::stack({z, z});
  const graph g = r.finish({{"s", s}});
  tb::ones({2});
  CHECK(calls_in(g) == names{"aten::zeros", "aten::stack"});
  const graphs::argument list = g.arguments(g.nodes()[1])[0];
  REQUIRE(list.is == graphs::argument::kind::tensors);
  CHECK(g.elements(list).size() == 2);
  CHECK_THAT(refusal(r), ContainsSubstring("finish() was called already"));
}

TEST_CASE("recorder: writes raise the version of a storage, which reads name", "[graphs]") {
  const graph g = graphs::record(
      [](const tensor& x) {
        tensor y = tb::clone(x);
        const tensor before = y.sizes().size() == 2 ? tb::sum(y) : y;
        tensor row = tb::select(y, 0, 0);
        tb::add_(row, tb::tensor(1.f));
        return tb::sum(y) - before;
      },
      a);
  std::vector<std::uint32_t> versions;
  for (const graphs::node& n : g.nodes()) {
    if (n.op.name() == "aten::sum") versions.push_back(g.arguments(n)[0].version);
  }
  CHECK(versions == std::vector<std::uint32_t>{0, 1});
  const graphs::node& write =
      *std::ranges::find(g.nodes(), "aten::add_.Tensor", [](const auto& n) { return n.op.name(); });
  CHECK(graph::writes(write, 0));
  CHECK(g.results(write)[0].index == g.arguments(write)[0].index);
  CHECK(g.written().empty());
}

TEST_CASE("recorder: a call that throws is no node", "[graphs]") {
  recorder r({.inputs = {{"a", a}}});
  CHECK_THROWS_AS(tb::mm(a, tb::ones({3, 3})), tb::shape_error);
  // The parts that a composite had called when it threw are calls.
  CHECK_THROWS_AS(tb::sub(a, tb::ones({3})), tb::shape_error);
  CHECK_THROWS_AS(two_steps(a), tb::shape_error);
  const tensor y = a + a;
  CHECK(r.threw() == 4);
  const graph g = r.finish({{"y", y}});
  CHECK(calls_in(g) == names{"aten::ones", "aten::ones", "aten::neg", "aten::select.int", "aten::add.Tensor"});
  for (const graphs::node& n : g.nodes()) CHECK(n.parent == nothing);
}

TEST_CASE("recorder: what is read and was not declared is refused, copied or shared", "[graphs]") {
  {
    recorder r;
    const tensor y = a + b;
    const std::string text = refusal(r, {{"y", y}});
    CHECK_THAT(text, ContainsSubstring("neither made in the recording nor declared"));
    CHECK_THAT(text, ContainsSubstring("float32 [2, 2] on cpu, 16 bytes, first read by aten::add.Tensor"));
  }
  for (const auto how : {graphs::capture::copy, graphs::capture::share}) {
    tensor outside = tb::clone(a);
    recorder r({.capture = how});
    const tensor y = outside * outside;
    const graph g = r.finish({{"y", y}});
    REQUIRE(g.captured().size() + g.parameters().size() == 1);
    CHECK(g.captured().size() == (how == graphs::capture::copy));
    tb::fill_(outside, 10);
    const tensor again = graphs::replay(g, {})[0];
    CHECK(tb::item(tb::sum(again)) == (how == graphs::capture::copy ? 30.0 : 400.0));
  }
  // The whole memory is: another part of it may be read later, and stays another part.
  {
    const tensor whole = tb::clone(a), second = tb::select(whole, 0, 1), corner = tb::select(second, 0, 1);
    recorder r({.capture = graphs::capture::copy});
    const tensor y = second * corner + tb::select(whole, 0, 0);
    const graph g = r.finish({{"y", y}});
    CHECK(tb::equal(graphs::replay(g, {})[0], y));
    recorder refused;
    const tensor z = corner * 2;
    CHECK_THAT(refusal(refused, {{"z", z}}), ContainsSubstring("float32 [] on cpu, 16 bytes"));
  }
  // A number is always copied.
  recorder r({.inputs = {{"a", a}}});
  const tensor y = a * tb::tensor(2.f);
  CHECK(r.finish({{"y", y}}).captured().size() == 1);
}

TEST_CASE("recorder: names and tensors are declared once", "[graphs]") {
  CHECK_THAT(toy::text_of<graphs::graph_error>([] { recorder r({.inputs = {{"a", a}, {"a", b}}}); }),
             ContainsSubstring("found 'a' twice"));
  CHECK_THAT(toy::text_of<graphs::graph_error>([] { recorder r({.inputs = {{"a", a}}, .parameters = {{"b", a}}}); }),
             ContainsSubstring("under another name"));
  CHECK_THAT(toy::text_of<graphs::graph_error>([] { recorder r({.inputs = {{"a", tensor()}}}); }),
             ContainsSubstring("undefined tensor"));
  recorder r;
  std::thread([&] {
    CHECK_THAT(toy::text_of<graphs::graph_error>([&] { r.finish(); }), ContainsSubstring("another thread"));
  }).join();
  CHECK_THAT(toy::text_of<graphs::graph_error>([] { recorder inner; }), ContainsSubstring("one at a time"));
}

TEST_CASE("recorder: a view of an input that was made outside is one inside", "[graphs]") {
  const tensor x = tb::clone(a), row = tb::select(x, 0, 1), same = tb::alias(x);
  recorder r({.inputs = {{"x", x}}});
  const tensor y = row + same;
  const graph g = r.finish({{"y", y}});
  CHECK(calls_in(g) == names{"aten::as_strided", "aten::add.Tensor"});
  CHECK(tb::equal(graphs::replay(g, {b})[0], tb::select(b, 0, 1) + b));
  // Its place counts from the beginning of the memory.
  const tensor inside = tb::narrow(tb::cat({a, b}), 0, 2, 2);
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::replay(g, {inside}); }),
             ContainsSubstring("found a tensor that begins at element 4 of its memory, wanted one at 0"));
}

TEST_CASE("recorder: a write outside the recording is refused, and tasks with its layers are in it", "[graphs]") {
  tensor x = tb::clone(a);
  {
    recorder r({.inputs = {{"x", x}}});
    const tensor y = x + x;
    std::thread([&] { tb::add_(x, x); }).join();
    const tensor z = x + y;
    const std::string text = refusal(r, {{"z", z}});
    CHECK_THAT(text, ContainsSubstring("were written outside the recording"));
    CHECK_THAT(text, ContainsSubstring("before aten::add.Tensor"));
  }
  recorder r({.inputs = {{"x", x}}});
  std::thread([&, layers = tb::current_layers()] {
    const tb::layer_guard guard(layers);
    tb::add_(x, x);
  }).join();
  const graph g = r.finish();
  CHECK(calls_in(g) == names{"aten::add_.Tensor"});
  REQUIRE(g.written().size() == 1);
  CHECK(g.written()[0] == g.inputs()[0].tensor);
}

TEST_CASE("recorder: elements that the program reads are results", "[graphs]") {
  const graph g = graphs::record([](const tensor& x) { return x * tb::item(tb::sum(x)); }, a);
  const std::vector<graphs::number> escapes = g.escapes();
  REQUIRE(escapes.size() == 1);
  const graphs::argument result = g.results(g.nodes()[escapes[0]])[0];
  REQUIRE(result.is == graphs::argument::kind::text);
  CHECK(g.text(result) == "10.0");
}

TEST_CASE("recorder: random calls say which numbers they drew", "[graphs]") {
  const tb::generator own(5);
  recorder r;
  const tensor x = tb::rand({3}), y = tb::rand({4}, tb::arg<"generator"> = own),
               z = tb::rand({2}, tb::arg<"generator"> = own);
  const graph g = r.finish({{"x", x}, {"y", y}, {"z", z}});
  REQUIRE(g.draws().size() == 3);
  CHECK(g.draws()[0].generator == 0);
  CHECK(g.draws()[1].generator == 1);
  CHECK(g.draws()[1].position == tb::philox_state{5, 0});
  CHECK(g.draws()[1].count == g.draws()[2].position.offset);
}

TEST_CASE("recorder: backward and optimizer calls are phases, with the call that they are of", "[graphs]") {
  const tensor w = tb::require_grad(tb::clone(b));
  tb::sgd optimizer({w}, {.learning_rate = 0.5});
  recorder r({.inputs = {{"x", a}}, .parameters = {{"w", w}}});
  const tensor loss = tb::sum(tb::mm(a, w));
  tb::backward(loss);
  optimizer.step();
  const graph g = r.finish({{"loss", loss}});
  std::size_t backward = 0, update = 0;
  for (const graphs::node& n : g.nodes()) {
    backward += n.phase == graphs::phase::backward;
    update += n.phase == graphs::phase::update;
    if (n.op.name() == "aten::mm" && n.phase == graphs::phase::backward) {
      REQUIRE(n.forward != nothing);
      CHECK(g.nodes()[n.forward].op.name() == "aten::mm");
      CHECK(g.nodes()[n.forward].phase == graphs::phase::forward);
    }
  }
  CHECK(backward >= 2);
  CHECK(update >= 1);
  REQUIRE(g.written().size() == 1);
  CHECK(g.written()[0] == g.parameters()[0].tensor);
}

TEST_CASE("recorder: the backward of a function is recorded wherever its forward ran", "[graphs]") {
  const tensor w = tb::require_grad(tb::clone(b));
  const tensor loss = tb::sum(tb::apply<tripled>(w));
  recorder r({.inputs = {{"loss", loss}}});
  tb::backward(loss);
  const graph g = r.finish({{"gradient", tb::leaf_grad(w)}});
  CHECK(std::ranges::count(calls_in(g), "aten::relu") == 1);
}

TEST_CASE("recorder: a program keeps no more memory while it is recorded", "[graphs]") {
  recorder r({.inputs = {{"a", a}}});
  tensor x = a;
  for (int i = 0; i < 10'000; ++i) x = x + a;
  const graph g = r.finish({{"x", x}});
  CHECK(g.nodes().size() == 10'000);
  CHECK(tb::equal(graphs::replay(g, {a})[0], a * 10'001));
}
