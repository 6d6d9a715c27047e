// Random numbers in graphs: a replay draws what the calls would have drawn at that moment.
#include <functional>
#include <optional>
#include <thread>

#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;
using tensors = std::vector<tb::tensor>;
using support::bytes;

namespace {

using all_bytes = std::vector<std::vector<std::byte>>;

all_bytes bits(const tensors& all) {
  all_bytes out;
  for (const tb::tensor& t : all) out.push_back(bytes(tb::to(t, tb::cpu)));
  return out;
}

tb::philox_state next_of(tb::generator g) { return g.take(0); }

// What work() made in each of some rounds, called or replayed, each time from this seed on.
std::vector<all_bytes> rounds(tb::device where, const std::function<tensors()>& work, bool captured) {
  tensors made;
  const auto call = [&] { made = work(); };
  std::vector<all_bytes> out;
  if (!captured) {
    tb::manual_seed(11);
    for (int i = 0; i < 4; ++i) {
      call();
      out.push_back(bits(made));
    }
    return out;
  }
  tb::manual_seed(5);
  call();
  const tb::philox_state before = next_of(tb::default_generator(where));
  const tb::cuda_graph graph = tb::cuda_graph::capture(call, where);
  CHECK(next_of(tb::default_generator(where)) == before);
  tb::manual_seed(11);
  for (int i = 0; i < 4; ++i) {
    graph.replay();
    out.push_back(bits(made));
  }
  return out;
}

void check_rounds(tb::device where, const std::function<tensors()>& work) {
  const auto called = rounds(where, work, false), replayed = rounds(where, work, true);
  CHECK((called == replayed));
  CHECK((called[0] != called[1]));
}

tb::tensor empty(const tb::shape& sizes, tb::device where, tb::dtype type = tb::dtype::float32) {
  return aten::empty_memory_format(sizes, tb::arg<"dtype"> = type, tb::arg<"device"> = where);
}

}  // namespace

TEST_CASE("graph: a replay draws the same numbers as the calls, for every operator", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  // Odd counts, so that a call begins with the second number of a pair in every other round.
  for (const tb::dtype type : {tb::dtype::float32, tb::dtype::float64, tb::dtype::bfloat16}) {
    check_rounds(where, [=] {
      tb::tensor a = empty({1001}, where, type), b = empty({3, 5}, where, type), c = empty({7}, where, type);
      aten::uniform_(a, -1, 1);
      aten::normal_(b);
      aten::exponential_(c);
      return tensors{a, b, c};
    });
  }
  check_rounds(where, [=] {
    tb::tensor a = empty({99}, where, tb::dtype::int64), b = empty({31}, where), c = empty({4, 5}, where);
    aten::random_from_(a, -5, 1000);
    aten::bernoulli_float_(b, 0.5);
    return tensors{a, b, aten::bernoulli(aten::full_like(c, 0.25)), aten::dropout(aten::ones_like(c), 0.5, true)};
  });
}

TEST_CASE("graph: permutations and multinomial draws agree with the calls", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor weights = tb::to(aten::remainder_Scalar(aten::arange(30), 7), tb::dtype::float32);
  const tb::tensor there = tb::to(aten::reshape(weights, tb::shape{2, 15}), where);
  check_rounds(where, [=] {
    return tensors{aten::randperm(101, tb::arg<"device"> = where), aten::multinomial(there, 4, false),
                   aten::multinomial(there, 33, true)};
  });
}

TEST_CASE("graph: replays without synchronisation draw in order", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::generator g(3);
  const auto run = [&](bool captured) {
    tb::tensor x = empty({33}, where);
    const auto draw = [&] { aten::uniform_(x, 0, 1, tb::arg<"generator"> = g); };
    std::optional<tb::cuda_graph> graph;
    if (captured) graph = tb::cuda_graph::capture(draw, where);
    g.set_seed(8);
    tensors rows;
    for (int i = 0; i < 10; ++i) {
      captured ? graph->replay() : draw();
      rows.push_back(aten::clone(x));
    }
    return bits(rows);
  };
  const all_bytes called = run(false);
  CHECK(run(true) == called);
  CHECK(next_of(g) == tb::philox_state{8, 330});
}

TEST_CASE("graph: replays in several streams order their random states", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::generator g(3);
  tb::tensor x = empty({1 << 16}, where), sum = aten::zeros(x.sizes(), tb::arg<"device"> = where);
  const auto draw = [&] {
    aten::uniform_(x, 0, 1, tb::arg<"generator"> = g);
    aten::add_Tensor_(sum, x);
  };
  const tb::cuda_graph graph = tb::cuda_graph::capture(draw, where);
  const tb::stream streams[] = {tb::stream::from_pool(where), tb::stream::from_pool(where)};
  tb::synchronize(where);
  for (int i = 0; i < 20; ++i) {
    const tb::stream_guard here(streams[i % 2]);
    graph.replay();
  }
  tb::synchronize(where);
  const all_bytes replayed = bits({sum});
  g.set_seed(3);
  aten::zero_(sum);
  for (int i = 0; i < 20; ++i) draw();
  CHECK((bits({sum}) == replayed));
}

TEST_CASE("graph: a seed that is set between replays applies from the next one on", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::tensor x = empty({5}, where);
  const tb::cuda_graph graph = tb::cuda_graph::capture([&] { aten::normal_(x); }, where);
  const auto drawn = [&] {
    graph.replay();
    return cuda_tests::values(x);
  };
  tb::manual_seed(1);
  const auto first = drawn(), second = drawn();
  CHECK(first != second);
  tb::manual_seed(1);
  CHECK(drawn() == first);
  tb::manual_seed(2);
  CHECK(drawn() != first);
  // Calls and replays take from one stream.
  tb::manual_seed(1);
  aten::normal_(x);
  CHECK(cuda_tests::values(x) == first);
  CHECK(drawn() == second);
}

TEST_CASE("graph: each generator has its own state, and the graph keeps it alive", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const auto run = [&](bool captured) {
    tb::manual_seed(9);
    tb::tensor a = empty({3}, where), b = empty({7}, where), c = empty({5}, where);
    std::optional<tb::cuda_graph> graph;
    tb::generator kept(21);
    std::optional<tb::generator> gone(tb::generator(22));
    const auto draw = [&, &other = *gone] {
      aten::uniform_(a, 0, 1, tb::arg<"generator"> = kept);
      aten::uniform_(b, 0, 1, tb::arg<"generator"> = other);
      aten::uniform_(c);
      aten::add_Tensor_(a, aten::rand_like(a));
      aten::add_Tensor_(c, aten::select_int(aten::uniform_(b, 0, 1, tb::arg<"generator"> = kept), 0, 2));
    };
    if (captured) {
      tb::cuda_graph made = tb::cuda_graph::capture(draw, where);
      CHECK(next_of(kept) == tb::philox_state{21, 0});
      gone.reset();
      graph = std::move(made);
    }
    std::vector<all_bytes> out;
    for (int i = 0; i < 3; ++i) {
      captured ? graph->replay() : draw();
      out.push_back(bits({a, b, c}));
    }
    CHECK(next_of(kept) == tb::philox_state{21, 30});
    CHECK(next_of(tb::default_generator(where)) == tb::philox_state{9, 24});
    return out;
  };
  const auto called = run(false);
  CHECK(run(true) == called);
}

TEST_CASE("graph: a training step with dropout gives the parameters that steps without a graph give", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::manual_seed(3);
  const tb::tensor input = aten::randn(tb::shape{33, 20}), labels = aten::randint(10, tb::shape{33});
  const auto train = [&](bool captured) {
    tb::nn::linear first(20, 17, tb::generator(1)), second(17, 10, tb::generator(2));
    tb::move_to(first, where);
    tb::move_to(second, where);
    tensors parameters = tb::parameters(first);
    for (const tb::tensor& p : tb::parameters(second)) parameters.push_back(p);
    tb::adamw optimizer(parameters, {.learning_rate = 0.01, .capturable = true});
    const tb::tensor x = tb::to(input, where), y = tb::to(labels, where);
    const auto step = [&] {
      optimizer.zero_grad();
      tb::backward(aten::cross_entropy_loss(second(aten::dropout(aten::relu(first(x)), 0.3, true)), y));
      optimizer.step();
    };
    tb::manual_seed(4);
    step();
    if (captured) {
      const tb::cuda_graph graph = tb::cuda_graph::capture(step, where);
      for (int i = 0; i < 6; ++i) graph.replay();
    } else {
      for (int i = 0; i < 6; ++i) step();
    }
    CHECK(optimizer.steps() == 7);
    return bits(parameters);
  };
  CHECK((train(false) == train(true)));
}

TEST_CASE("graph: random numbers of the host, and of streams that are not captured, are drawn immediately",
          "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::manual_seed(7);
  tb::tensor host = aten::zeros(tb::shape{5}), beside = aten::zeros(tb::shape{5}, tb::arg<"device"> = where), x;
  const tb::stream other = tb::stream::from_pool(where);
  tb::synchronize(where);
  const tb::cuda_graph graph = tb::cuda_graph::capture(
      [&] {
        aten::uniform_(host);
        {
          const tb::stream_guard there(other);
          aten::uniform_(beside);
        }
        x = aten::rand(tb::shape{5}, tb::arg<"device"> = where);
      },
      where);
  CHECK(next_of(tb::default_generator()) == tb::philox_state{7, 5});
  CHECK(next_of(tb::default_generator(where)) == tb::philox_state{7, 5});
  other.synchronize();
  const auto drawn = support::values(host);
  CHECK(cuda_tests::values(beside) == drawn);
  graph.replay();
  CHECK(next_of(tb::default_generator(where)) == tb::philox_state{7, 10});
  CHECK(support::values(host) == drawn);
  CHECK(cuda_tests::values(beside) == drawn);
}

TEST_CASE("graph: a failed capture does not advance the generator", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::manual_seed(7);
  tb::tensor x = empty({5}, where);
  CHECK_THROWS_AS(tb::cuda_graph::capture(
                      [&] {
                        aten::uniform_(x);
                        (void)tb::item<float>(aten::sum(x));
                      },
                      where),
                  tb::device_error);
  aten::uniform_(x);
  CHECK(cuda_tests::values(x) == support::values(aten::rand(tb::shape{5})));
  CHECK(next_of(tb::default_generator(where)) == tb::philox_state{7, 5});
}

TEST_CASE("graph: another thread's random numbers in a captured stream are refused", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::tensor x = empty({5}, where);
  std::string text;
  (void)tb::cuda_graph::capture(
      [&] {
        const tb::stream captured = tb::stream::current(where);
        std::thread([&] {
          const tb::stream_guard there(captured);
          text = toy::text_of<tb::device_error>([&] { aten::uniform_(x); });
        }).join();
      },
      where);
  INFO(text);
  CHECK(text.find("would draw the same ones in every replay") != std::string::npos);
}

TEST_CASE("graph: a graph's random state is not overwritten by its calls", "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({20}, 3, where);
  check_rounds(where, [=] {
    (void)aten::sum(x * 2);  // memory that is free again when the next call draws
    tb::tensor y = empty({50}, where);
    aten::uniform_(y);
    return tensors{y};
  });
  tb::generator first(3), second(4);
  tb::tensor order, y = empty({50}, where);
  const auto work = [&] {
    order = aten::randperm_generator(20, tb::arg<"generator"> = first, tb::arg<"device"> = where);
    aten::uniform_(y, 0, 1, tb::arg<"generator"> = second);
  };
  const tb::cuda_graph graph = tb::cuda_graph::capture(work, where);
  first.set_seed(7), second.set_seed(8);
  graph.replay();
  const all_bytes replayed = bits({order, y});
  first.set_seed(7), second.set_seed(8);
  work();
  CHECK((bits({order, y}) == replayed));
}

TEST_CASE(
    "graph: a replay while another graph is captured is refused, does not advance the generator, and the next call "
    "works",
    "[cuda][graph]") {
  const tb::device where = cuda_tests::need();
  tb::tensor x = empty({8}, where);
  const tb::cuda_graph graph = tb::cuda_graph::capture([&] { aten::uniform_(x); }, where);
  const tb::philox_state before = next_of(tb::default_generator(where));
  CHECK(toy::text_of<tb::device_error>([&] { (void)tb::cuda_graph::capture([&] { graph.replay(); }, where); }) ==
        "cuda_graph: found a replay in a stream that is captured, wanted one in a stream that runs");
  CHECK(next_of(tb::default_generator(where)) == before);
  graph.replay();
  tb::synchronize(where);
}
