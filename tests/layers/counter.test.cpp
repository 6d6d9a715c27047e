#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <latch>
#include <string_view>
#include <thread>
#include <vector>

#define main counter_main
#include "layers/counter.cpp"
#undef main
import topbit;

namespace aten = topbit::aten;

namespace {

struct count_of {
  std::string_view name;
  std::uint64_t before = counter::calls_of(name);
  std::uint64_t since() const { return counter::calls_of(name) - before; }
};
tb::tensor row() { return tb::from_values<float>({1, 2}, {2}); }

}  // namespace

TEST_CASE("counter: calls of many threads are all counted", "[layers][counter][H3]") {
  const count_of adds{"aten::add.Tensor"};
  const auto counting = tb::registry::process().include_always(counter::own_key);
  {
    std::latch start(4);
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&start] {
        const tb::tensor a = row(), b = row();
        start.arrive_and_wait();
        for (int i = 0; i < 50'000; ++i) aten::add_Tensor(a, b);
      });
    }
  }
  CHECK(adds.since() == 200'000);
}

TEST_CASE("counter: reading a count allocates no slot", "[layers][counter]") {
  const auto taken = [] {
    std::size_t n = 0;
    for (const counter::slot& s : counter::slots) n += s.op.load() != nullptr ? 1U : 0U;
    return n;
  };
  const std::size_t before = taken();
  CHECK(counter::calls_of("aten::nll_loss") == 0);
  CHECK(taken() == before);
  const tb::include_guard counting(counter::own_key);
  aten::neg(row());
  CHECK(counter::calls_of("aten::neg") == 1);
  CHECK(taken() > before);
}

TEST_CASE("counter: calls from other operators and calls that throw count, those of a thread without the layer do not",
          "[layers][counter][T2]") {
  const count_of means{"aten::mean"}, sums{"aten::sum"}, products{"aten::mm"};
  const tb::tensor a = row();
  aten::mean(a);
  CHECK(means.since() == 0);
  const tb::include_guard counting(counter::own_key);
  aten::mean(a);
  CHECK_THROWS_AS(aten::mm(a, a), tb::shape_error);
  std::jthread([&] { aten::mean(a); }).join();
  {
    const tb::exclude_guard not_here{counter::own_key};
    aten::mean(a);
  }
  CHECK(means.since() == 1);
  CHECK(sums.since() == 1);
  CHECK(products.since() == 1);
}
