// Passes keep what a program computes: five programs that other tools' passes got wrong, and what may go.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;
import topbit.graphs;

namespace tb = topbit;
using Catch::Matchers::ContainsSubstring;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using graphs::graph;
using graphs::recorder;
using tb::tensor;

namespace {

const tensor a = tb::tensor({{1.f, 2}, {3, 4}});

graph both(const graph& g) { return graphs::remove_dead_code(graphs::merge_common_calls(g).graph).graph; }
std::size_t count(const graph& g, std::string_view name) {
  std::size_t found = 0;
  for (const graphs::node& n : g.nodes()) found += n.op.name() == name;
  return found;
}
using doubles = std::vector<double>;

// An operator that writes, and whose schema does not say so.
inline constexpr tb::op<"graphs_test::sneaky(Tensor x) -> ()"> sneaky;
void write_anyway(const tensor& x) {
  tensor y = x;
  tb::add_(y, tb::tensor(1.f));
}
const auto kernels =
    tb::library("graphs_test").def(sneaky).impl<&write_anyway>(sneaky, tb::key::CompositeExplicitAutograd);

}  // namespace

TEST_CASE("passes: numbers of different types are different constants", "[graphs]") {
  const tensor x = tb::tensor({1, 2});
  recorder r({.inputs = {{"x", x}}});
  const tensor whole = tb::add(x, 1), real = tb::add(x, 1.0);
  const graph g = both(r.finish({{"whole", whole}, {"real", real}}));
  const std::vector<tensor> y = graphs::replay(g, {x});
  CHECK(y[0].dtype() == tb::dtype::int64);
  CHECK(y[1].dtype() == tb::dtype::float32);
}

TEST_CASE("passes: calls with other integers, lists or texts are others", "[graphs]") {
  const graph g = both(graphs::record(
      [](const tensor& x) {
        return tb::cat({tb::sum(x, 0), tb::sum(x, 1), tb::flatten(tb::gelu(x)),
                        tb::flatten(tb::gelu(x, tb::arg<"approximate"> = "tanh"))});
      },
      a));
  CHECK(count(g, "aten::sum.dim_IntList") == 2);
  CHECK(count(g, "aten::gelu") == 2);
}

TEST_CASE("passes: zeros of different signs are different constants", "[graphs]") {
  const tensor x = tb::tensor({1.f});
  recorder r({.inputs = {{"x", x}}});
  const tensor up = tb::div(x, 0.0) + 1, down = tb::div(x, -0.0) + 1;
  const graph g = both(r.finish({{"up", up}, {"down", down}}));
  const std::vector<tensor> y = graphs::replay(g, {x});
  CHECK(tb::item(y[0]) == INFINITY);
  CHECK(tb::item(y[1]) == -INFINITY);
}

TEST_CASE("passes: a call that writes what its schema does not say stays", "[graphs]") {
  const tensor x = tb::clone(a);
  recorder r({.inputs = {{"x", x}}});
  const tensor before = tb::sum(x) * 1;
  sneaky(x);
  const tensor after = tb::sum(x) * 1;
  const graph g = r.finish({{"before", before}, {"after", after}});
  REQUIRE(g.faults().size() == 1);
  const graph smaller = both(g);
  CHECK(count(smaller, "graphs_test::sneaky") == 1);
  const std::vector<tensor> y = graphs::replay(smaller, {tb::clone(a)});
  CHECK(tb::item(y[0]) == 10);
  CHECK(tb::item(y[1]) == 14);
  const auto notes = graphs::remove_dead_code(g).notes;
  REQUIRE(notes.size() == 1);
  CHECK_FALSE(notes[0].changed);
}

TEST_CASE("passes: new memory that is written later is not shared", "[graphs]") {
  recorder r;
  tensor x = tb::zeros({2}), y = tb::zeros({2});
  tb::add_(x, tb::tensor(1.f));
  const graph g = both(r.finish({{"x", x}, {"y", y}}));
  const std::vector<tensor> results = graphs::replay(g, {});
  CHECK(support::values(results[0]) == doubles{1, 1});
  CHECK(support::values(results[1]) == doubles{0, 0});
}

TEST_CASE("passes: a read after a write through a view is another one", "[graphs]") {
  recorder r;
  tensor x = tb::ones({2});
  const tensor before = x * 2;
  tb::add_(tb::select(x, 0, 0), tb::tensor(1.f));
  const tensor after = x * 2;
  const graph g = both(r.finish({{"sum", before + after}}));
  CHECK(support::values(graphs::replay(g, {})[0]) == doubles{6, 4});
}

TEST_CASE("passes: what nothing reads goes, and says so", "[graphs]") {
  const graph g = graphs::record(
      [](const tensor& x) {
        const tensor unused = tb::rand({100}), chain = tb::exp(unused);
        tensor scratch = tb::zeros({2});
        tb::add_(scratch, tb::tensor(1.f));
        tb::linear(x, x);
        return x + 1;
      },
      a);
  const graphs::pass_result smaller = graphs::remove_dead_code(g);
  CHECK(count(smaller.graph, "aten::add.Scalar") == 1);
  CHECK(smaller.graph.nodes().size() == 2);  // it and its part
  CHECK(smaller.notes.size() == 5);
  CHECK_THAT(graphs::to_string(smaller.notes, g), ContainsSubstring("aten::exp: removed, nothing reads it\n"));
  CHECK(smaller.graph.captured().size() == 1);  // the number
  CHECK(support::values(graphs::replay(smaller.graph, {a})[0]) == doubles{2, 3, 4, 5});
}

TEST_CASE("passes: a write to what the caller has stays", "[graphs]") {
  const tensor x = tb::clone(a);
  recorder r({.inputs = {{"x", x}}});
  tb::zero_(tb::select(x, 0, 0));
  tb::item(tb::sum(x));
  const graph g = both(r.finish());
  CHECK(g.nodes().size() == 4);
  const tensor other = tb::clone(a);
  graphs::replay(g, {other});
}

TEST_CASE("passes: calls that compute the same become one", "[graphs]") {
  const graph g = graphs::record(
      [](const tensor& x) {
        const tensor s = tb::sigmoid(x), again = tb::sigmoid(x);
        return tb::cat({s * x, again * x});
      },
      a);
  const graphs::pass_result merged = graphs::merge_common_calls(g);
  CHECK(count(merged.graph, "aten::sigmoid") == 1);
  CHECK(count(merged.graph, "aten::mul.Tensor") == 1);
  CHECK(merged.notes.size() == 2);
  CHECK(support::values(graphs::replay(merged.graph, {a})[0]) == support::values(graphs::replay(g, {a})[0]));
  // What is returned twice stays two tensors.
  recorder r({.inputs = {{"x", a}}});
  const tensor first = tb::exp(a), second = tb::exp(a);
  const graphs::pass_result kept = graphs::merge_common_calls(r.finish({{"first", first}, {"second", second}}));
  CHECK(count(kept.graph, "aten::exp") == 2);
  REQUIRE(kept.notes.size() == 1);
  CHECK(kept.notes[0].text.ends_with("both are returned"));
}
