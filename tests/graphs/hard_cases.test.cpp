// Programs that are easy to record, replay or rewrite wrongly: memory that is shared, written by several names,
// captured; random numbers inside composites; promotion; gradients that are switched off.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.graphs;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using Catch::Matchers::ContainsSubstring;
using graphs::graph;
using graphs::recorder;
using tb::tensor;

namespace {

tensor counted(std::int64_t n) { return tb::arange(1, n + 1, tb::arg<"dtype"> = tb::dtype::float32); }

// Replays, also what passes make of it, and gives the outputs; `inputs` makes them anew for each.
template <class Inputs>
void check_all(const graph& g, Inputs inputs, const std::vector<tensor>& wanted) {
  const graph merged = graphs::merge_common_calls(g).graph;
  int which = 0;
  for (const graph& each : {g, merged, graphs::remove_dead_code(merged).graph, graphs::functionalize(g).graph}) {
    INFO("form " << which++ << "\n" << to_string(each));
    const std::vector<tensor> found = graphs::replay(each, inputs());
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].dtype() == wanted[i].dtype());
      CHECK(tb::equal(found[i], wanted[i]));
    }
  }
}

// A composite that calls a part and writes memory itself.
inline constexpr tb::op<"hard::bump(Tensor(a!) x) -> ()"> bump;
void bump_it(tensor& x) {
  tb::sum(x);
  float* const first = x.data_ptr<float>();
  for (std::int64_t i = 0; i < x.numel(); ++i) first[i] += 1;
  tb::author::bump_version(x);
}
// Writes one argument that its schema names, and one that it does not.
inline constexpr tb::op<"hard::both(Tensor(a!) x, Tensor y) -> ()"> both;
void write_both(tensor& x, const tensor& y) {
  tensor other = y;
  tb::add_(x, tb::full({}, 1.0));
  tb::add_(other, tb::full({}, 1.0));
}
// Draws random numbers, of which neither a tag nor an argument says anything.
inline constexpr tb::op<"hard::noise(Tensor x) -> Tensor"> noise;
tensor add_noise(const tensor& x) {
  tensor y = tb::author::make_tensor(x.sizes(), x.dtype(), tb::cpu);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    y.data_ptr<float>()[i] = static_cast<float>(tb::default_generator().take(1).offset);
  }
  return y;
}
// Writes, and throws then.
inline constexpr tb::op<"hard::half_done(Tensor(a!) x) -> ()"> half_done;
void write_and_throw(tensor& x) {
  tb::author::bump_version(x);
  throw tb::error("hard::half_done: found an end");
}
const auto kernels = tb::library("hard")
                         .def(bump)
                         .impl<&bump_it>(bump)
                         .def(both)
                         .impl<&write_both>(both, tb::key::CompositeExplicitAutograd)
                         .def(noise)
                         .impl<&add_noise>(noise, tb::key::CompositeExplicitAutograd)
                         .def(half_done)
                         .impl<&write_and_throw>(half_done, tb::key::CompositeExplicitAutograd);

// With a backward() of its own.
struct cubed {
  static tensor forward(tb::function_context& c, const tensor& x) {
    c.save(x);
    return x * x * x;
  }
  static tensor backward(tb::function_context& c, const tensor& g) { return g * c.saved(0) * c.saved(0) * 3; }
};

}  // namespace

TEST_CASE("graphs: composites draw the numbers of the recording", "[graphs]") {
  recorder r;
  const tensor x = tb::dropout(tb::ones({64}), 0.5, true);
  const graph g = r.finish({{"x", x}});
  const tb::philox_state now = tb::default_generator().take(0);
  for (int i = 0; i < 2; ++i) check_all(g, [] { return std::vector<tensor>(); }, {x});
  CHECK(tb::default_generator().take(0) == now);
}

TEST_CASE("graphs: an operator that says nothing of random numbers draws those of the recording", "[graphs]") {
  const tensor x = counted(3);
  recorder r({.inputs = {{"x", x}}});
  const tensor first = noise(x), second = noise(x);
  const graph g = r.finish({{"first", first}, {"second", second}});
  CHECK(g.draws().size() == 2);
  tb::default_generator().take(5);
  check_all(g, [&] { return std::vector{x}; }, {first, second});
}

TEST_CASE("recorder: a write of a call that threw is named", "[graphs]") {
  const tensor x = counted(2);
  recorder r({.inputs = {{"x", x}}});
  tensor y = x;
  CHECK_THROWS_AS(half_done(y), tb::error);
  const tensor z = y * 2;
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { r.finish({{"z", z}}); }),
             ContainsSubstring("written by a call that threw, which no replay repeats:\n  %0, float32 [2] on cpu, by "
                               "hard::half_done"));
}

TEST_CASE("replay: a read-only input that the program writes is refused before anything runs", "[graphs]") {
  const tensor x = counted(2);
  recorder r({.inputs = {{"x", x}}});
  tensor y = x;
  tb::add_(y, tb::full({}, 1.0));
  const graph writes = r.finish(), reads = graphs::record([](const tensor& t) { return t * 2; }, x);
  const tensor constant = counted(2);
  tb::author::make_read_only(constant);
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::replay(writes, {constant}); }),
             ContainsSubstring("replay: input 'x': found a read-only tensor, which the program writes"));
  CHECK(tb::equal(graphs::replay(reads, {constant})[0], counted(2) * 2));
}

TEST_CASE("graphs: memory of tensors without elements has no bytes", "[graphs]") {
  const graph g = graphs::record(
      [](const tensor& x) {
        tensor none = tb::zeros({0, 3});
        tb::add_(none, tb::full({}, 1.0));
        tb::add_(tb::narrow(none, 1, 0, 2), tb::full({}, 1.0));
        return tb::cat({x, tb::flatten(none)});
      },
      counted(2));
  const graph pure = graphs::functionalize(g).graph;
  for (const graphs::tensor_value& t : pure.tensors()) {
    if (t.storage == graphs::nothing) continue;
    const auto n = static_cast<graphs::number>(&t - pure.tensors().data());
    if (tb::numel(tb::shape(pure.sizes(n))) == 0) CHECK(pure.storages()[t.storage].bytes == 0);
  }
  check_all(g, [] { return std::vector{counted(2)}; }, {counted(2)});
}

TEST_CASE("functionalize: fails where the program fails, and counts a write of an input", "[graphs]") {
  const auto step = [](const tensor& x, const tensor& at) {
    tensor y = tb::clone(x);
    tb::mul_(tb::narrow(y, 0, 0, 2), tb::full({}, 2.0));
    tensor written = x;
    tb::index_fill_(written, 0, at, 7.0);
    return tb::index_select(y, 0, at) * tb::item(tb::sum(y));
  };
  const tensor zero = tb::tensor({0, 1}), wrong = tb::tensor({0, 9});
  const graph g = graphs::record(step, counted(4), zero), pure = graphs::functionalize(g).graph;
  const auto outcome = [&](const graph& each, const tensor& x, const tensor& at) {
    return toy::text_of<tb::error>([&] { graphs::replay(each, {x, at}); });
  };
  CHECK(outcome(g, counted(4), zero) == "nothing was thrown");
  CHECK(outcome(pure, counted(4), zero) == "nothing was thrown");
  for (const graph& each : {g, pure}) {
    CHECK_THAT(outcome(each, counted(4), wrong), ContainsSubstring("found the index 9"));
    CHECK_THAT(outcome(each, counted(4) * 2, zero), ContainsSubstring("the recording has 13.0"));
    const tensor x = counted(4);
    const auto version = [](const tensor& t) { return tb::author::record_of(t).data->version.load(); };
    const auto of_x = version(x), of_at = version(zero);
    graphs::replay(each, {x, zero});
    CHECK(version(x) == of_x + 1);
    CHECK(version(zero) == of_at);
    CHECK(tb::equal(x, tb::tensor({7.f, 7, 3, 4})));
  }
}

TEST_CASE("graphs: a copy is another tensor, whatever is written later", "[graphs]") {
  const auto fresh = [] { return std::vector{counted(2), tb::full({2}, 5.0)}; };
  {
    const std::vector<tensor> in = fresh();
    recorder r({.inputs = {{"x", in[0]}, {"y", in[1]}}});
    tensor x = in[0], y = in[1], z = tb::empty({2});
    aten::copy_(z, x);
    const tensor old = tb::clone(y);
    aten::copy_(y, x);
    aten::copy_(x, old);
    tb::add_(x, tb::full({}, 1.0));
    const graph g = r.finish({{"z", z}, {"x", x}, {"y", y}});
    check_all(g, fresh, {counted(2), tb::full({2}, 6.0), counted(2)});
  }
  recorder r({.inputs = {{"x", counted(2)}}});
  const tensor s = tb::exp(tb::ones({2}));
  tensor a = tb::empty({2}), b = tb::empty({2});
  aten::copy_(a, s);
  aten::copy_(b, s);
  const graph g = graphs::functionalize(r.finish({{"a", a}, {"b", b}})).graph;
  const std::vector<tensor> found = graphs::replay(g, {counted(2)});
  CHECK_FALSE(found[0].same_as(found[1]));
}

TEST_CASE("graphs: a write converts where its operator would promote", "[graphs]") {
  const tensor wide = tb::full({3}, 0.1, tb::arg<"dtype"> = tb::dtype::float64), whole = tb::tensor({1, 2, 3});
  const tensor narrow = tb::to(counted(3), tb::dtype::bfloat16);
  recorder r({.capture = graphs::capture::copy});
  tensor x = tb::clone(counted(3)), y = tb::clone(counted(3)), z = tb::empty({3}), n = tb::clone(narrow);
  tb::add_(x, wide);
  tb::eq_(y, 2);
  const tensor doubled = y + y;
  aten::mul_out(whole, whole, z);
  tb::add_(n, counted(3) * 0.01);
  const graph g = r.finish({{"x", x}, {"doubled", doubled}, {"z", z}, {"n", n}});
  check_all(g, [] { return std::vector<tensor>(); }, {x, doubled, z, n});
}

TEST_CASE("graphs: what is captured is as it was in each replay", "[graphs]") {
  tensor c = tb::zeros({2});
  recorder r({.inputs = {{"x", counted(2)}}, .capture = graphs::capture::copy});
  const tensor x = counted(2);
  const tensor y = c + x;
  tb::add_(c, x);
  const tensor after = c * 1;
  graph g = r.finish({{"y", y}, {"after", after}});
  graphs::replayer again(g);
  for (int i = 0; i < 3; ++i) {
    const std::vector<tensor> found = again({x});
    CHECK(tb::equal(found[0], x));
    CHECK(tb::equal(found[1], x));
  }
}

TEST_CASE("graphs: a number that the program changes or trains is declared", "[graphs]") {
  const auto refusal = [](const tensor& scale, auto change) {
    recorder r({.inputs = {{"x", counted(2)}}});
    const tensor y = counted(2) * scale;
    change(scale);
    return toy::text_of<graphs::graph_error>([&] { r.finish(); });
  };
  CHECK_THAT(refusal(tb::tensor(2.f), [](tensor s) { tb::add_(s, s); }), ContainsSubstring("nor declared"));
  CHECK_THAT(refusal(tb::require_grad(tb::tensor(2.f)), [](const tensor&) {}), ContainsSubstring("nor declared"));
}

TEST_CASE("graphs: an output that the recording does not know is refused", "[graphs]") {
  recorder r({.inputs = {{"x", counted(2)}}, .capture = graphs::capture::copy});
  CHECK_THAT(toy::text_of<graphs::graph_error>(
                 [&] { r.finish({{"s", tb::author::make_tensor({}, tb::dtype::float32, tb::cpu)}}); }),
             ContainsSubstring("found the output 's', which no recorded call made or read"));
}

TEST_CASE("graphs: sizes that depend on elements are checked after passes too", "[graphs]") {
  const graph g =
      graphs::record([](const tensor& x) { return x * static_cast<double>(tb::nonzero(x).size(0)); }, counted(2));
  const graph smaller = graphs::remove_dead_code(g).graph;
  CHECK_THROWS_AS(graphs::replay(smaller, {tb::zeros({2})}), graphs::graph_mismatch);
}

TEST_CASE("graphs: replays have the gradients of the program, or none", "[graphs]") {
  const auto gradient = [](const graph& g) {
    const tensor x = tb::require_grad(counted(2));
    const tensor y = graphs::replay(g, {x})[0];
    if (!tb::requires_grad(y)) return tensor();
    tb::backward(y);
    return tb::leaf_grad(x);
  };
  {  // An alias without gradients, made before.
    const tensor x = tb::require_grad(counted(2)), d = tb::detach(x);
    recorder r({.inputs = {{"x", x}}});
    const tensor y = tb::sum(x * d);
    CHECK(tb::equal(gradient(r.finish({{"y", y}})), counted(2)));
  }
  {  // Part of a graph's gradient is its own: none rather than the rest.
    const tensor x = tb::require_grad(counted(2));
    recorder r({.inputs = {{"x", x}}});
    const tensor y = tb::sum(tb::apply<cubed>(x) + x);
    CHECK_FALSE(gradient(r.finish({{"y", y}})).defined());
  }
  // The same call, with a gradient and without, is not one.
  const graph g = graphs::record(
      [](const tensor& x) {
        tensor constant;
        {
          const tb::no_grad off;
          constant = tb::exp(x);
        }
        return tb::sum(constant * tb::exp(x));
      },
      counted(2));
  CHECK(tb::allclose(gradient(graphs::merge_common_calls(g).graph), tb::exp(counted(2) * 2)));
}

TEST_CASE("graphs: a composite that writes memory itself is a write", "[graphs]") {
  const auto fresh = [] { return std::vector{counted(2)}; };
  const tensor x = counted(2);
  recorder r({.inputs = {{"x", x}}});
  tensor y = x;
  const tensor before = tb::sum(y) * 1;
  bump(y);
  const tensor after = tb::sum(y) * 1;
  check_all(r.finish({{"before", before}, {"after", after}}), fresh, {tb::tensor(3.f), tb::tensor(5.f)});
}

TEST_CASE("graphs: a write of another argument is a fault, which no functional program has", "[graphs]") {
  const tensor x = counted(2), y = counted(2);
  recorder r({.inputs = {{"x", x}, {"y", y}}});
  tensor z = x;
  const tensor before = tb::sum(y) * 1;
  both(z, y);
  const tensor after = tb::sum(y) * 1;
  const graph g = r.finish({{"before", before}, {"after", after}});
  REQUIRE(g.faults().size() == 1);
  const graph smaller = graphs::remove_dead_code(graphs::merge_common_calls(g).graph).graph;
  CHECK(tb::item(graphs::replay(smaller, {counted(2), counted(2)})[1]) == 5);
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::functionalize(g); }),
             ContainsSubstring("hard::both did not do what its schema says"));
}

TEST_CASE("graphs: outputs that were apart stay apart", "[graphs]") {
  recorder r({.inputs = {{"x", counted(4)}}});
  const tensor x = counted(4);
  const tensor a = tb::narrow(tb::exp(tb::ones({4})), 0, 0, 2), b = tb::narrow(tb::exp(tb::ones({4})), 0, 0, 2);
  const std::vector<tensor> found =
      graphs::replay(graphs::merge_common_calls(r.finish({{"a", a}, {"b", b}})).graph, {x});
  CHECK(found[0].data() != found[1].data());
}

TEST_CASE("graphs: written inputs share memory as they did", "[graphs]") {
  const tensor x = counted(2), y = counted(2);
  recorder r({.inputs = {{"x", x}, {"y", y}}});
  tensor written = x;
  tb::add_(written, tb::full({}, 1.0));
  const graph g = r.finish({{"sum", y * 1}});
  const tensor same = counted(2);
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::replay(g, {same, same}); }),
             ContainsSubstring("found 'x' and 'y' in one memory"));
  const tensor z = counted(4), half = tb::narrow(z, 0, 0, 2);
  recorder shared({.inputs = {{"z", z}, {"half", half}}});
  tensor whole = z;
  tb::add_(whole, tb::full({}, 1.0));
  const graph h = shared.finish({{"half", half * 1}});
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { graphs::replay(h, {counted(4), counted(2)}); }),
             ContainsSubstring("found 'half' in memory of its own"));
}

TEST_CASE("recorder: ends in the scope and on the thread that it began in", "[graphs]") {
  {
    recorder r;
    const tb::no_grad off;
    CHECK_THAT(toy::text_of<graphs::graph_error>([&] { r.finish(); }), ContainsSubstring("in the scope of a guard"));
  }
  CHECK(tb::grad_enabled());
  auto elsewhere = std::make_unique<recorder>();
  std::thread([&] { elsewhere.reset(); }).join();
  CHECK(tb::equal(counted(2) + counted(2), counted(2) * 2));  // passes what is left of it
}

TEST_CASE("recorder: memory that the program dropped is dropped", "[graphs]") {
  const std::size_t before = tb::host_memory().bytes_in_use;
  recorder r;
  tensor x = tb::ones({1 << 18});
  std::size_t most = 0;
  for (int i = 0; i < 40; ++i) {
    x = x + x;
    most = std::max(most, tb::host_memory().bytes_in_use - before);
  }
  CHECK(most < 10U << 20);  // of 40 MB in all
  CHECK(r.finish({{"x", x}}).nodes().size() == 41);
}

TEST_CASE("replay: strides of sizes that have one element do not count", "[graphs]") {
  const graph g = graphs::record([](const tensor& x) { return x * 2; }, tb::ones({1, 3}));
  CHECK(graphs::replay(g, {tb::as_strided(counted(3), {1, 3}, {1, 1})})[0].numel() == 3);
  CHECK(graphs::peak_bytes(graphs::parse_graph("topbit graph 1.0\nstorage s0:64 cpu\n")) == 0);
}
