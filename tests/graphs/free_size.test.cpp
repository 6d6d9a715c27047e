// A program of any size from two recordings of it: what is linear follows, what is not is refused or found.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
import topbit;
import topbit.graphs;
#include "programs.h"

namespace tb = topbit;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using Catch::Matchers::ContainsSubstring;
using graphs::free_size;
using graphs::graph;
using graphs::recorder;
using programs::counted;
using tb::tensor;

namespace {

// A recording with an input of that many rows.
template <class F>
graph of_rows(F f, std::int64_t rows) {
  return graphs::record(f, counted({rows, 4}));
}
template <class F>
free_size both(F f) {
  return free_size(of_rows(f, 5), of_rows(f, 7));
}
template <class F>
std::string refusal(F f) {
  return toy::text_of<graphs::graph_error>([&] { both(f); });
}

// Views, writes, lists of sizes, a composite, and memory whose size is no linear function of the rows.
tensor attend(const tensor& x) {
  const tensor scores = tb::softmax(tb::mm(x, tb::transpose(x, 0, 1)) * 0.125, 1);
  const tensor twice = tb::stack({scores, tb::neg(scores)}) * 1;  // [2, n, n]
  tensor y = tb::mm(scores, x) + tb::mm(twice[1], x);
  tb::add_(tb::select(y, 0, x.size(0) - 1), x[0]);
  tb::mul_(tb::narrow(y, 0, 1, x.size(0) - 1), tb::full({}, 0.5));
  const tensor wide = tb::reshape(tb::expand(tb::unsqueeze(y, 0), {2, x.size(0), 4}), {2 * x.size(0), 4});
  return tb::cat({wide, tb::zeros({x.size(0), 4}), tb::flatten(y)[0] + tb::ones({1, 4})}, 0);
}

graph training_step(const programs::network& net, std::int64_t rows) {
  const tensor x = counted({rows, 8}), y = tb::zeros({rows}, tb::arg<"dtype"> = tb::dtype::int64);
  tb::sgd step(tb::parameters(net), {.learning_rate = 0.01});
  recorder recording({.inputs = {{"x", x}, {"y", y}}, .parameters = tb::named_parameters(net)});
  step.zero_grad();
  const tensor loss = tb::cross_entropy_loss(net(x), y);
  tb::backward(loss);
  step.step();
  return recording.finish({{"loss", loss}});
}

}  // namespace

TEST_CASE("free_size: a program is replayed for sizes that were not recorded", "[graphs][free_size]") {
  const free_size program = both(attend);
  CHECK(std::vector(program.dimensions().begin(), program.dimensions().end()) ==
        std::vector{graphs::free_dimension{0, 0}});
  graphs::sized_replayer replay(program);
  for (const std::int64_t rows : {2, 5, 6, 7, 40, 6}) {
    INFO(rows << " rows");
    const tensor x = counted({rows, 4});
    CHECK(tb::equal(replay({x})[0], attend(x)));
    const std::optional<graphs::difference> found = compare_graphs(program.at(rows), of_rows(attend, rows));
    CHECK((found ? graphs::to_string(*found) : "") == "");
    CHECK(graphs::peak_bytes(program.at(rows)) == graphs::peak_bytes(of_rows(attend, rows)));
  }
  // What passes make of one size is a program of that size.
  const tensor x = counted({9, 4});
  CHECK(tb::allclose(graphs::replay(graphs::functionalize(program.at(9)).graph, {x})[0], attend(x)));
}

TEST_CASE("free_size: a training step trains one network with batches of any size", "[graphs][free_size]") {
  const programs::network net, other;
  const std::vector<tb::named_tensor> of_net = tb::named_parameters(net), of_other = tb::named_parameters(other);
  for (std::size_t i = 0; i < of_net.size(); ++i) {
    const tb::no_grad off;
    tensor to = of_other[i].value;
    aten::copy_(to, of_net[i].value);
  }
  graphs::sized_replayer replay(free_size(training_step(net, 5), training_step(net, 7)));
  for (const std::int64_t rows : {5, 7}) training_step(other, rows);
  for (const std::int64_t rows : {9, 3, 9}) {
    INFO(rows << " rows");
    replay({counted({rows, 8}), tb::zeros({rows}, tb::arg<"dtype"> = tb::dtype::int64)});
    training_step(other, rows);
    for (std::size_t i = 0; i < of_net.size(); ++i) {
      INFO(of_net[i].name);
      CHECK(tb::equal(of_net[i].value, of_other[i].value));
    }
  }
}

TEST_CASE("free_size: random numbers of calls stay apart", "[graphs][free_size]") {
  const free_size program = both([](const tensor& x) { return tb::rand_like(x) + tb::rand_like(x) * x; });
  for (const std::int64_t rows : {2, 30}) {
    const graph g = program.at(rows);
    REQUIRE(g.draws().size() == 2);
    const graphs::random_draw first = g.draws()[0], second = g.draws()[1];
    CHECK(first.count == of_rows([](const tensor& x) { return tb::rand_like(x); }, rows).draws()[0].count);
    CHECK(second.position.offset == first.position.offset + first.count);
    CHECK(first.position == program.recorded().draws()[0].position);
  }
}

TEST_CASE("free_size: what is not an integer, or read from elements, is refused with both calls",
          "[graphs][free_size]") {
  CHECK_THAT(
      refusal([](const tensor& x) { return x * (1.0 / static_cast<double>(x.size(0))); }),
      ContainsSubstring("free_size: node 0 of both recordings: found another argument 'other', wanted calls that "
                        "differ in integers alone:\n  %2: float32[5,4] cpu = aten::mul.Scalar(%0, 0.2)\n"));
  CHECK_THAT(refusal([](const tensor& x) { return x.size(0) == 5 ? tb::exp(x) : tb::sin(x); }),
             ContainsSubstring("found another operator"));
  CHECK_THAT(refusal([](const tensor& x) { return x.size(0) == 5 ? x + 1 : tb::neg(x + 1); }),
             ContainsSubstring("found a missing call"));
  CHECK_THAT(refusal([](const tensor& x) { return x * tb::item(tb::sum(x)); }),
             ContainsSubstring("found an element that the program read"));
  CHECK_THAT(refusal([](const tensor& x) { return x * tb::tensor(1 / static_cast<float>(x.size(0))); }),
             ContainsSubstring("found captured elements that differ, wanted an input where they do"));
  CHECK_THAT(toy::text_of<graphs::graph_error>([] {
               const graph g = of_rows([](const tensor& x) { return tb::neg(x); }, 5);
               free_size(g, g);
             }),
             ContainsSubstring("found inputs of the same sizes in both recordings"));
  const auto with_mask = [](std::int64_t rows) {
    const tensor mask = tb::ones({rows, 1});
    return graphs::record([&](const tensor& x) { return x * mask; }, {.capture = graphs::capture::copy},
                          counted({rows, 4}));
  };
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { free_size(with_mask(5), with_mask(7)); }),
             ContainsSubstring("found a parameter or captured tensor of another size"));
}

TEST_CASE("free_size: numbers that are not linear are refused or found in a replay", "[graphs][free_size]") {
  // Half of the rows: 2 and 3 of 5 and 7 would be 2.5 of 6.
  const free_size first_half = both([](const tensor& x) { return tb::narrow(x, 0, 0, x.size(0) / 2); });
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { first_half.at(6); }),
             ContainsSubstring("gives no integer for size 6"));
  CHECK(graphs::replay(first_half.at(9), {counted({9, 4})})[0].size(0) == 4);
  // Integers, also as numbers in tensors, by composites and by their parts.
  const auto scaled = [](const tensor& x) { return x * x.size(0) - tb::tensor(static_cast<float>(x.size(0))); };
  CHECK(tb::equal(graphs::replay(both(scaled).at(20), {counted({20, 4})})[0], scaled(counted({20, 4}))));
  const graph pure = graphs::functionalize(both(scaled).at(20)).graph;
  CHECK(tb::equal(graphs::replay(pure, {counted({20, 4})})[0], scaled(counted({20, 4}))));
  CHECK_FALSE(compare_graphs(both(scaled).at(20), of_rows(scaled, 20)));
  const free_size shorter = both([](const tensor& x) { return tb::narrow(x, 0, 3, x.size(0) - 3); });
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { shorter.at(2); }), ContainsSubstring("wanted 0 or more"));
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { shorter.at(INT64_MAX); }), ContainsSubstring("no integer"));
  // A square: 4 for 5 and 16 for 7 is 10 for 6, which is not 9.
  const free_size squares = both([](const tensor& x) {
    const std::int64_t side = x.size(0) - 3;
    return tb::sum(tb::ones({side * side})) + x;
  });
  graphs::sized_replayer replay(squares);
  CHECK(replay.of(6).calls() > 0);
  const std::optional<graphs::difference> found =
      compare_graphs(squares.at(6), of_rows(
                                        [](const tensor& x) {
                                          const std::int64_t side = x.size(0) - 3;
                                          return tb::sum(tb::ones({side * side})) + x;
                                        },
                                        6));
  REQUIRE(found);
  CHECK(found->what == "argument 'size'");
  // The size of a result that no constant says.
  const free_size pairs = both([](const tensor& x) { return tb::flatten(tb::mm(x, tb::transpose(x, 0, 1))); });
  graphs::sized_replayer of_pairs(pairs);
  CHECK_THAT(toy::text_of<graphs::graph_mismatch>([&] { of_pairs({counted({6, 4})}); }),
             ContainsSubstring("found a result of sizes [36], the recording has [37]"));
  CHECK_THAT(toy::text_of<graphs::graph_error>([&] { of_pairs({}); }), ContainsSubstring("found 0 inputs, wanted 1"));
}
