#include <algorithm>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "profiler/rows.h"
#include "training/folder.h"
import topbit;
import topbit.profiler;

namespace tb = topbit;
namespace profile = topbit::profile;
using support::find_row, support::row_of;
using tb::observe::kind;

namespace {

constexpr profile::options mine{.threads = tb::observe::threads::mine};

// Calls itself with the first half until one element is left.
constexpr tb::op<"profiled::halved(Tensor self) -> Tensor"> halved;
tb::tensor halved_kernel(const tb::tensor& self) {
  return self.numel() == 1 ? tb::clone(self) : halved(tb::narrow(self, 0, 0, self.numel() / 2));
}
const auto library = tb::library("profiled").def(halved).impl<&halved_kernel>(halved, tb::key::CPU);

const tb::tensor x = tb::ones({4, 8}), w = tb::ones({16, 8}), b = tb::ones({16});

}  // namespace

TEST_CASE("profile: counts calls, and sums what they take with and without what is inside", "[profiler][PR14][PR15]") {
  profile::session p(mine);
  for (int i = 0; i < 3; ++i) {
    const tb::observe::profile_range range("step");
    (void)tb::softmax(x, 1);
    (void)(x + x);
  }
  p.stop();
  (void)(x + x);
  const profile::table t = p.table().grouped();
  CHECK(row_of(t, "aten::add.Tensor").calls == 3);
  CHECK(row_of(t, "step", kind::range).calls == 3);
  const profile::row step = row_of(t, "step", kind::range), add = row_of(t, "aten::add.Tensor");
  CHECK(step.total_ns >= step.self_ns + add.total_ns);
  CHECK(t.elapsed_ns >= step.total_ns);
  std::int64_t self = 0;
  std::uint64_t events = 0;
  for (const profile::row& r : t.rows) {
    CHECK(r.self_ns >= 0);
    CHECK(r.total_ns >= r.self_ns);
    self += r.self_ns;
    events += r.calls;
  }
  CHECK(self == step.total_ns);  // nothing was outside of the ranges
  CHECK(t.events >= events);     // redispatches are events, and no calls
  CHECK(t.dropped == 0);
  CHECK(t.own_ns > 0);
  CHECK(p.table().grouped().rows == t.rows);  // asking changes nothing
}

TEST_CASE("profile: calls of an operator inside itself count once in its total", "[profiler][PR14]") {
  const tb::tensor leaf = tb::require_grad(tb::ones({4}));
  profile::session p(mine);
  (void)(leaf * leaf);  // recorded above, computed in a redispatch
  p.stop();
  const profile::row mul = row_of(p.table(), "aten::mul.Tensor");
  CHECK(mul.calls == 1);
  CHECK(mul.total_ns == mul.self_ns);
}

TEST_CASE("profile: inputs, ranges and names group the same calls", "[profiler][PR8][PR14]") {
  profile::session p({.threads = tb::observe::threads::mine, .inputs = true});
  {
    const tb::observe::profile_range range("first");
    (void)(x + x);
    (void)(x + tb::ones({8}));
  }
  {
    const tb::observe::profile_range range("second");
    (void)(tb::transpose(x, 0, 1) + 1);
    (void)tb::cat({x, x}, 0);
  }
  p.stop();
  const profile::table by_inputs = p.table().grouped(profile::grouping::inputs);
  std::vector<std::string> of_add;
  for (const profile::row& r : by_inputs.rows) {
    if (r.name == "aten::add.Tensor" && r.calls != 0) of_add.push_back(r.inputs);
  }
  std::ranges::sort(of_add);
  CHECK(of_add == std::vector<std::string>{"float32[4, 8], float32[4, 8]", "float32[4, 8], float32[8]",
                                           "float32[8, 4] strided, float32[]"});
  CHECK(row_of(by_inputs, "aten::cat").inputs == "float32[4, 8], float32[4, 8]");
  CHECK(row_of(by_inputs, "aten::add.Scalar").inputs == "float32[8, 4] strided");
  const profile::table by_range = p.table().grouped(profile::grouping::ranges, profile::column::name);
  CHECK(row_of(by_range, "aten::add.Tensor").range == "first");
  CHECK(row_of(by_range, "aten::add.Tensor").calls == 2);
  CHECK(row_of(by_range, "aten::cat").range == "second");
  CHECK(row_of(p.table().grouped(), "aten::add.Tensor").inputs.empty());
}

TEST_CASE("profile: sorts by any column, and prints a table, JSON and CSV", "[profiler][PR14]") {
  profile::table t;
  t.elapsed_ns = 10'000;
  t.events = 6;
  t.own_ns = 100;
  t.rows = {{"b", kind::call, "", "", 2, 3000, 4000, 2048},
            {"a", kind::call, "", "", 4, 1000, 6000, 0, profile::cost{8, 9, 10, 11}},
            {"step \"1\"", kind::range, "", "", 1, 500, 9000, 0, std::nullopt, 600}};
  const auto first = [&](profile::column c) { return t.grouped(profile::grouping::names, c).rows[0].name; };
  CHECK(first(profile::column::self) == "b");
  CHECK(first(profile::column::total) == "step \"1\"");
  CHECK(first(profile::column::mean) == "step \"1\"");
  CHECK(first(profile::column::calls) == "a");
  CHECK(first(profile::column::allocated) == "b");
  CHECK(first(profile::column::products) == "a");
  CHECK(first(profile::column::name) == "a");
  CHECK(to_string(t.grouped(), 2) ==
        "name  calls     self  self %    total  without own     mean  allocated  products\n"
        "b         2  3.00 us    30.0  4.00 us      4.00 us  2.00 us   2.00 KiB         -\n"
        "a         4  1.00 us    10.0  6.00 us      6.00 us  1.50 us        0 B  8.00 M/s\n"
        "and 1 more\n"
        "6 events in 10.0 us, for each of which the profile itself took 100 ns, 600 ns in all\n");
  CHECK(to_string(t.grouped(profile::grouping::names, profile::column::total), 1).find("9.00 us      8.40 us") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(to_json(t));
  CHECK(json["rows"][1]["cost"]["products"] == 8);
  CHECK(json["rows"][1]["cost"]["products_per_second"] == 8e6);
  CHECK(json["rows"][2]["name"] == "step \"1\"");
  CHECK(json["rows"][2]["total_ns"] == 9000);
  CHECK(json["rows"][2]["total_without_own_ns"] == 8400);
  CHECK(json["own_ns"] == 100);
  CHECK(json["elapsed_ns"] == 10'000);
  CHECK(to_csv(t) ==
        "name,kind,inputs,range,calls,self_ns,total_ns,total_without_own_ns,allocated,products,operations,bytes_read,"
        "bytes_written\r\n"
        "\"b\",call,\"\",\"\",2,3000,4000,4000,2048,,,,\r\n"
        "\"a\",call,\"\",\"\",4,1000,6000,6000,0,8,9,10,11\r\n"
        "\"step \"\"1\"\"\",range,\"\",\"\",1,500,9000,8400,0,,,,\r\n");
}

TEST_CASE("profile: products are sorted by their rate, as they are shown", "[profiler][PR14]") {
  profile::table t;
  t.rows = {{"much", kind::call, "", "", 1, 10'000, 10'000, 0, profile::cost{100, 100}},
            {"none", kind::call, "", "", 1, 1, 1, 0},
            {"fast", kind::call, "", "", 1, 10, 10, 0, profile::cost{50, 50}}};
  std::vector<std::string> names;
  for (const profile::row& r : t.grouped(profile::grouping::names, profile::column::products).rows)
    names.push_back(r.name);
  CHECK(names == std::vector<std::string>{"fast", "much", "none"});
}

TEST_CASE("profile: of totals, what the profile itself took is known from the events inside", "[profiler][PR16]") {
  profile::session p(mine);
  {
    const tb::observe::profile_range outer("outer");
    for (int i = 0; i < 50; ++i) const tb::observe::profile_range inner("inner");
  }
  p.stop();
  const profile::table t = p.table();
  CHECK(t.events == 51);  // the empty events of the measurement are none of them
  CHECK(t.own_ns > 0);
  const profile::row outer = row_of(t, "outer", kind::range);
  CHECK(outer.own_ns == std::min(static_cast<std::int64_t>(50 * t.own_ns), outer.total_ns));
  CHECK(row_of(t, "inner", kind::range).own_ns == 0);
  CHECK(to_string(t).find("for each of which the profile itself took ") != std::string::npos);
}

TEST_CASE("profile: by inputs, a call has its time in a call of the same operator with other inputs",
          "[profiler][PR14]") {
  profile::options how = mine;
  how.inputs = true;
  profile::session p(how);
  (void)halved(tb::ones({4}));
  p.stop();
  const profile::table by_inputs = p.table().grouped(profile::grouping::inputs, profile::column::total);
  std::vector<std::string> inputs;
  std::int64_t above = by_inputs.elapsed_ns, self = 0;
  for (const profile::row& r : by_inputs.rows) {
    if (r.name != "profiled::halved") continue;
    inputs.push_back(r.inputs);
    CHECK(r.total_ns > 0);
    CHECK(r.total_ns >= r.self_ns);
    CHECK(r.total_ns <= above);
    above = r.total_ns;
    self += r.self_ns;
  }
  CHECK(inputs == std::vector<std::string>{"float32[4]", "float32[2]", "float32[1]"});
  const profile::row by_name = row_of(p.table().grouped(), "profiled::halved");
  CHECK(by_name.calls == 1);
  CHECK(by_name.total_ns == by_inputs.rows[0].total_ns);
  CHECK(by_name.self_ns == self);
  CHECK(row_of(by_inputs.grouped(), "profiled::halved").total_ns == by_name.total_ns);
}

TEST_CASE("profile: backward nodes and optimizer steps are rows of their own", "[profiler][PR6]") {
  const tb::tensor weight = tb::require_grad(tb::ones({16, 8}));
  tb::sgd optimizer({weight}, {.learning_rate = 0.1});
  profile::session p(mine);
  tb::backward(tb::sum(tb::linear(x, weight)));
  optimizer.step();
  p.stop();
  const profile::table t = p.table().grouped();
  CHECK(row_of(t, "aten::linear", kind::backward).calls == 1);
  CHECK(row_of(t, "aten::sum", kind::backward).calls == 1);
  CHECK(row_of(t, "optimizer step", kind::optimizer).calls == 1);
}

TEST_CASE("profile: several see everything, each from its own beginning", "[profiler]") {
  profile::session outer(mine);
  (void)(x + x);
  {
    profile::session inner(mine);
    (void)(x + x);
    CHECK(row_of(inner.table(), "aten::add.Tensor").calls == 1);
  }
  (void)(x + x);
  CHECK(row_of(outer.table(), "aten::add.Tensor").calls == 3);
}

TEST_CASE("profile: the limit is of the events for the trace, and the table counts all", "[profiler][PR12]") {
  profile::session p({.threads = tb::observe::threads::mine, .limit = 4});
  for (int i = 0; i < 10; ++i) (void)(x + x);
  p.stop();
  const profile::table t = p.table();
  CHECK(row_of(t.grouped(), "aten::add.Tensor").calls == 10);
  CHECK(t.dropped == t.events - 4);
  CHECK(to_string(t).find(std::to_string(t.dropped) + " events are in the table but not in the trace") !=
        std::string::npos);
}

TEST_CASE("profile: of all threads, while they run", "[profiler][threads]") {
  constexpr int threads = 3, calls = 200;
  profile::session p;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([] {
      for (int n = 0; n < calls; ++n) {
        const tb::observe::profile_range range("round");
        (void)(x + x);
      }
    });
  }
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    const profile::table t = p.table().grouped();
    CHECK(t.rows.size() <= 2);
    CHECK(t.events >= before);
    before = t.events;
  }
  for (std::thread& t : running) t.join();
  p.stop();
  CHECK(row_of(p.table().grouped(), "aten::add.Tensor").calls == threads * calls);
  CHECK(row_of(p.table().grouped(), "round", kind::range).calls == threads * calls);
}

TEST_CASE("profile: threads that have ended are one part, with all that they did", "[profiler][threads]") {
  constexpr int threads = 20;
  profile::session p({.inputs = true, .memory = true, .limit = 30});
  tb::tensor kept;
  for (int i = 0; i < threads; ++i) {
    std::thread([&] {
      const tb::observe::profile_range range("round");
      (void)(x + x);
      kept = x + tb::ones({8});
    }).join();
  }
  p.stop();
  const profile::table t = p.table();
  // A row for each site, not for each site of a thread.
  const auto rows_of = [&](std::string_view name) {
    return std::ranges::count_if(t.rows, [&](const profile::row& r) { return r.name == name; });
  };
  CHECK(rows_of("round") == 1);
  CHECK(rows_of("aten::add.Tensor") == 2);
  CHECK(row_of(t.grouped(), "round", kind::range).calls == threads);
  CHECK(row_of(t.grouped(), "aten::add.Tensor").calls == 2 * threads);
  CHECK(row_of(t.grouped(profile::grouping::ranges), "aten::add.Tensor").range == "round");
  CHECK(row_of(t.grouped(), "aten::add.Tensor").total_ns <= row_of(t.grouped(), "round", kind::range).total_ns);
  CHECK(t.dropped >= t.events - 30);
  REQUIRE(t.peaks.size() == 1);
  CHECK(std::ranges::any_of(t.peaks[0].holders, [](const profile::holder& h) { return h.range == "round"; }));
  // The newest events of the last threads, each with the number of its own.
  const training::folder folder("ended");
  p.write_trace(folder / "t.json");
  std::set<int> numbers;
  std::size_t slices = 0;
  std::ifstream in(folder / "t.json");
  const nlohmann::json trace = nlohmann::json::parse(in);
  for (const auto& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    ++slices;
    numbers.insert(e["tid"].get<int>());
  }
  CHECK(slices == 30);
  CHECK(numbers.size() > 1);
}

TEST_CASE("profile: threads end while others read, and after the profile", "[profiler][threads]") {
  std::atomic<bool> stop = false;
  std::atomic<int> ended = 0;
  std::optional<profile::session> p(std::in_place, profile::options{.inputs = true, .memory = true, .limit = 100});
  std::thread making([&] {
    while (!stop) {
      std::thread([] {
        const tb::observe::profile_range range("round");
        (void)(x + x);
      }).join();
      ++ended;
    }
  });
  const training::folder folder("ending");
  std::uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    for (const int from = ended; ended == from;) std::this_thread::yield();
    const profile::table t = p->table();
    CHECK(t.events >= before);
    before = t.events;
    if (i % 5 == 0) p->write_trace(folder / "t.json");
  }
  std::thread outlives([&] {
    (void)(x + x);
    while (!stop) std::this_thread::yield();
  });
  const std::uint64_t least = static_cast<std::uint64_t>(ended.load());
  CHECK(row_of(p->table().grouped(), "round", kind::range).calls >= least);
  p.reset();
  stop = true;
  outlives.join();
  making.join();
}

TEST_CASE("profile: ranges that end in another order leave a table that is right", "[profiler]") {
  profile::session p(mine);
  std::optional<tb::observe::profile_range> first(std::in_place, "first"), second(std::in_place, "second");
  first.reset();
  (void)(x + x);
  second.reset();
  (void)(x + x);
  p.stop();
  const profile::table t = p.table().grouped(profile::grouping::ranges);
  CHECK(row_of(t, "first", kind::range).calls == 1);
  CHECK(find_row(t, "second", kind::range) == nullptr);
  CHECK(row_of(t, "aten::add.Tensor").calls == 2);
  CHECK(row_of(t, "aten::add.Tensor").range.empty());
}

TEST_CASE("profile: ranges inside themselves count each", "[profiler][PR14]") {
  profile::session p(mine);
  {
    const tb::observe::profile_range outer("again");
    const tb::observe::profile_range inner("again");
  }
  p.stop();
  CHECK(row_of(p.table().grouped(), "again", kind::range).calls == 2);
}

TEST_CASE("profile: a schedule divides what other threads do too", "[profiler][threads][PR13]") {
  std::atomic<bool> stop = false;
  std::atomic<int> rounds = 0;
  std::thread other([&] {
    while (!stop) {
      const tb::observe::profile_range outer("outer");
      const tb::observe::profile_range inner("inner");
      (void)(x + x);
      ++rounds;
    }
  });
  profile::session p({.schedule = {.wait = 1, .warmup = 1, .active = 1}});
  for (int i = 0; i < 60; ++i) {
    for (const int from = rounds; rounds - from < 3;) std::this_thread::yield();
    if (!p.step()) continue;
    const profile::table t = p.table().grouped();
    for (const profile::row& r : t.rows) {
      CHECK(r.self_ns >= 0);
      CHECK(r.total_ns >= r.self_ns);
      CHECK(r.total_ns <= t.elapsed_ns);
    }
    CHECK(row_of(t, "inner", kind::range).calls > 0);
  }
  stop = true;
  other.join();
}

TEST_CASE("profile: a trace is written while the threads go on", "[profiler][threads]") {
  std::atomic<bool> stop = false;
  profile::session p({.inputs = true, .memory = true, .limit = 1000});
  std::thread other([&] {
    while (!stop) (void)(x + x);
  });
  const training::folder folder("running");
  for (int i = 0; i < 5; ++i) p.write_trace(folder / "t.json");
  stop = true;
  other.join();
  p.stop();
  CHECK(profile::read_trace(folder / "t.json").events <= 2000);
}

TEST_CASE("profile: two at once see the same, and not each other's beginning", "[profiler]") {
  int ranges = 0;
  const tb::observe::observer counting([&](const tb::observe::event& e) { ranges += !e.is_call(); });
  profile::options how = mine;
  how.memory = true;
  profile::session outer(how);
  profile::session inner(how);
  for (int i = 0; i < 10; ++i) (void)(x + x);
  const profile::row of_outer = row_of(outer.table().grouped(), "aten::add.Tensor"),
                     of_inner = row_of(inner.table().grouped(), "aten::add.Tensor");
  CHECK(of_outer.calls == 10);
  CHECK(of_inner.calls == 10);
  CHECK(of_outer.allocated == of_inner.allocated);
  CHECK(of_outer.allocated > 0);
  CHECK(ranges == 0);
}
