// Parts of work on several threads, and how many threads there are.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <thread>
#include <vector>

#include "support.h"
#include "threads/parallel.h"

using kernel_tests::with_threads;

namespace {

bool several_possible() {
  const with_threads many(2);
  return tb_cpu_threads() == 2;
}

}  // namespace

TEST_CASE("the number of threads is the one set, within bounds") {
  const with_threads keep(1);
  CHECK(tb_cpu_threads() == 1);
  tb_cpu_set_threads(-3);
  CHECK(tb_cpu_threads() == 1);
  if (!several_possible()) SKIP("this build has no threads");
  tb_cpu_set_threads(3);
  CHECK(tb_cpu_threads() == 3);
  tb_cpu_set_threads(100000);
  CHECK(tb_cpu_threads() == 1024);
}

TEST_CASE("each task runs once, whatever the number of threads") {
  for (const int32_t count : {1, 2, 3, 5}) {
    const with_threads now(count);
    for (const int64_t parts : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(parts));
      tb_cpu::each_part(parts, [&](int64_t i) { ++runs[static_cast<size_t>(i)]; });
      for (const auto& n : runs) CHECK(n == 1);
    }
  }
}

TEST_CASE("tasks run concurrently") {
  if (!several_possible()) SKIP("this build has no threads");
  const with_threads now(2);
  // Each part waits for the other one: on one thread this would never end.
  std::atomic<int> began{0};
  std::set<std::thread::id> who[2];
  tb_cpu::each_part(2, [&](int64_t i) {
    ++began;
    while (began < 2) std::this_thread::yield();
    who[i].insert(std::this_thread::get_id());
  });
  CHECK(who[0] != who[1]);
}

TEST_CASE("nested tasks run on the same thread") {
  const with_threads now(4);
  std::atomic<int> elsewhere{0}, runs{0};
  tb_cpu::each_part(8, [&](int64_t) {
    const auto mine = std::this_thread::get_id();
    CHECK(tb_cpu::threads() == 1);
    tb_cpu::each_part(8, [&](int64_t) {
      ++runs;
      if (std::this_thread::get_id() != mine) ++elsewhere;
    });
  });
  CHECK(runs == 64);
  CHECK(elsewhere == 0);
}

TEST_CASE("several threads may run tasks while the number of threads is set") {
  const with_threads keep(2);
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&sum, c] {
      for (int round = 0; round < 50; ++round) {
        if (round % 10 == c) tb_cpu_set_threads(1 + (round + c) % 4);
        std::vector<int64_t> parts(100);
        tb_cpu::each_part(100, [&](int64_t i) { parts[static_cast<size_t>(i)] = i; });
        for (const int64_t n : parts) sum += n;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(sum == 4 * 50 * 4950);
}
