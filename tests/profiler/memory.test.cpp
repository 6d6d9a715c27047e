#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "profiler/rows.h"
#include "support/host_memory.h"
import topbit;
import topbit.profiler;

namespace tb = topbit;
namespace profile = topbit::profile;
using support::KiB, support::MiB, support::row_of;

namespace {

constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
constexpr profile::options with_memory{.threads = tb::observe::threads::mine, .memory = true};

tb::tensor of_bytes(std::size_t bytes) { return tb::zeros({static_cast<std::int64_t>(bytes / 4)}); }

}  // namespace

TEST_CASE("profile memory: operators are told what they take", "[profiler][PR19]") {
  profile::session p(with_memory);
  const tb::tensor x = of_bytes(MiB);
  const tb::tensor y = x + x;
  p.stop();
  const profile::row add = row_of(p.table().grouped(), "aten::add.Tensor");
  CHECK(add.allocated >= MiB);
  CHECK(add.allocated < 2 * MiB);
}

TEST_CASE("profile memory: at the peak, who holds it", "[profiler][PR19]") {
  profile::session p(with_memory);
  tb::tensor kept;
  {
    const tb::observe::profile_range range("first");
    kept = of_bytes(4 * MiB);
  }
  {
    const tb::observe::profile_range range("second");
    const tb::tensor a = of_bytes(2 * MiB), b = a + a;
  }
  const tb::tensor later = of_bytes(MiB);
  p.stop();
  const profile::table t = p.table();
  REQUIRE(t.peaks.size() == 1);
  const profile::peak& peak = t.peaks[0];
  CHECK(peak.where == tb::cpu);
  CHECK(peak.bytes >= 8 * MiB);
  CHECK(peak.bytes < 9 * MiB);
  REQUIRE(peak.holders.size() >= 3);
  CHECK(peak.holders[0].range == "first");
  CHECK(peak.holders[0].bytes >= 4 * MiB);
  std::uint64_t second = 0;
  for (const profile::holder& h : peak.holders) second += h.range == "second" ? h.bytes : 0;
  CHECK(second >= 4 * MiB);
  CHECK(second < 5 * MiB);
  CHECK(to_string(t).find("peak of cpu: ") != std::string::npos);
}

TEST_CASE("profile memory: an error about missing memory says who holds it", "[profiler][PR19]") {
  if (sanitized) SKIP("a sanitizer ends the program for such a size");
  const auto fail = [] {
    try {
      (void)tb::empty({std::numeric_limits<std::int64_t>::max() / 64});
    } catch (const tb::out_of_memory& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(fail().find("are in use") == std::string::npos);
  profile::session p(with_memory);
  tb::tensor x;
  {
    const tb::observe::profile_range range("load");
    x = of_bytes(3 * MiB);
  }
  const std::string message = fail();
  CHECK(message.find("; of the memory allocated since the profile began, ") != std::string::npos);
  CHECK(message.find(" in load") != std::string::npos);
  p.stop();
  CHECK(fail().find("are in use") == std::string::npos);
}

TEST_CASE("memory observer: is told of every block while it is there, and of none afterwards", "[profiler][PR19]") {
  struct counting final : tb::author::memory_observer {
    int allocated_count = 0, freed_count = 0;
    std::size_t in_use = 0;
    void allocated(tb::device where, const void*, std::size_t bytes) noexcept override {
      allocated_count += where == tb::cpu;
      in_use += bytes;
    }
    void freed(tb::device, const void*, std::size_t bytes) noexcept override {
      ++freed_count;
      in_use -= bytes;
    }
  } seen;
  std::optional<tb::tensor> before = of_bytes(KiB);
  tb::author::add_memory_observer(seen);
  for (int i = 0; i < 10; ++i) (void)of_bytes(KiB);
  CHECK(seen.allocated_count >= 10);
  CHECK(seen.freed_count == seen.allocated_count);
  CHECK(seen.in_use == 0);
  const int given = seen.freed_count;
  before.reset();
  CHECK(seen.freed_count == given + 1);  // of a block from before
  tb::author::remove_memory_observer(seen);
  const int taken = seen.allocated_count;
  for (int i = 0; i < 10; ++i) (void)of_bytes(KiB);
  CHECK(seen.allocated_count == taken);
}

TEST_CASE("memory observer: threads keep blocks again once the last one is gone", "[profiler][PR19]") {
  struct none final : tb::author::memory_observer {
    void allocated(tb::device, const void*, std::size_t) noexcept override {}
    void freed(tb::device, const void*, std::size_t) noexcept override {}
  } seen;
  const support::limit cached(64 * MiB);
  tb::author::add_memory_observer(seen);
  (void)of_bytes(KiB);
  tb::author::remove_memory_observer(seen);
  (void)of_bytes(KiB);
  const tb::memory_statistics from = tb::host_memory();
  for (int i = 0; i < 100; ++i) (void)of_bytes(KiB);
  const tb::memory_statistics to = tb::host_memory();
  CHECK(to.reused - from.reused >= 100);
}

TEST_CASE("profile memory: what is allocated outside of the active steps does not count", "[profiler][PR13][PR19]") {
  profile::session p({.threads = tb::observe::threads::mine, .memory = true, .schedule = {.warmup = 1, .active = 1}});
  const tb::tensor warm = of_bytes(4 * MiB);
  p.step();
  const tb::tensor active = of_bytes(MiB);
  CHECK(p.step());
  const tb::tensor later = of_bytes(8 * MiB);
  const profile::table t = p.table();
  REQUIRE(t.peaks.size() == 1);
  CHECK(t.peaks[0].bytes >= MiB);
  CHECK(t.peaks[0].bytes < 2 * MiB);
  std::uint64_t allocated = 0;
  for (const profile::row& r : t.rows) allocated += r.allocated;
  CHECK(allocated < 2 * MiB);
}

TEST_CASE("profile memory: a forked child allocates, and is not observed", "[profiler][threads][PR2]") {
  std::atomic<bool> stop = false;
  profile::session p({.memory = true});
  std::thread other([&] {
    while (!stop) (void)of_bytes(KiB);
  });
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(of_bytes(KiB).numel() == static_cast<std::int64_t>(KiB / 4) ? 0 : 1);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0) {
    }
    CHECK(status == 0);
  }
  stop = true;
  other.join();
}
