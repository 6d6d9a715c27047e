#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "profiler/rows.h"
#include "support/raises.h"
import topbit;
import topbit.profiler;

namespace tb = topbit;
namespace profile = topbit::profile;
using support::find_row, support::row_of;

namespace {

const tb::tensor x = tb::ones({4});

profile::options with(profile::schedule s) { return {.threads = tb::observe::threads::mine, .schedule = s}; }

// The calls of add in the table after each step, -1 where the step ended a cycle.
std::vector<int> calls_by_step(profile::schedule s, int steps) {
  profile::session p(with(s));
  std::vector<int> calls;
  for (int i = 0; i < steps; ++i) {
    (void)(x + x);
    if (p.step()) calls.push_back(-1);
    const profile::table t = p.table().grouped();
    const profile::row* const add = find_row(t, "aten::add.Tensor");
    calls.push_back(add == nullptr ? 0 : static_cast<int>(add->calls));
  }
  return calls;
}

}  // namespace

TEST_CASE("profile schedule: waits, warms up, records, and begins again", "[profiler][PR13]") {
  CHECK(calls_by_step({.wait = 1, .warmup = 1, .active = 2, .repeat = 2}, 10) ==
        std::vector<int>{0, 0, 1, -1, 2, 2, 0, 1, -1, 2, 2, 2});
  CHECK(calls_by_step({.warmup = 1, .active = 1}, 4) == std::vector<int>{0, -1, 1, 0, -1, 1});
  CHECK(calls_by_step({.active = 2, .repeat = 1}, 4) == std::vector<int>{1, -1, 2, 2, 2});
  CHECK(calls_by_step({}, 3) == std::vector<int>{1, 2, 3});
}

TEST_CASE("profile schedule: a step is a range", "[profiler][PR13]") {
  profile::session p(with({.wait = 1, .active = 3}));
  for (int i = 0; i < 4; ++i) {
    (void)(x + x);
    p.step();
  }
  const profile::table t = p.table();
  CHECK(row_of(t.grouped(), "step", tb::observe::kind::range).calls == 3);
  CHECK(row_of(t.grouped(profile::grouping::ranges), "aten::add.Tensor").range == "step");
}

TEST_CASE("profile schedule: while it waits nothing is observed, and after stop() no step is", "[profiler][PR13]") {
  profile::session p(with({.wait = 2, .active = 1}));
  (void)(x + x);
  CHECK(p.table().events == 0);
  p.stop();
  CHECK_FALSE(p.step());
  CHECK_FALSE(p.step());
  CHECK_FALSE(p.step());
  (void)(x + x);
  CHECK(p.table().events == 0);
}

TEST_CASE("profile schedule: one that records nothing is refused", "[profiler][PR13]") {
  CHECK(toy::text_of<tb::error>([] { const profile::session p(with({.wait = 1})); }) ==
        "profile::session: found a schedule without active steps, wanted at least one");
  CHECK(toy::text_of<tb::error>([] { const profile::session p(with({.active = 1})); }) ==
        "profile::session: found a schedule whose active steps follow each other, wanted wait or warmup steps between "
        "its "
        "cycles, or repeat = 1");
}
