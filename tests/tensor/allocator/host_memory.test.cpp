#include <algorithm>
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "support/allocations.h"
#include "support/host_memory.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using support::bytes, support::elsewhere, support::fill, support::holds, support::limit, support::KiB, support::MiB;
using tb::tensor;

namespace {

bool counted() {
  const std::size_t before = toy::allocations();
  ::operator delete(::operator new(1, std::align_val_t{64}), std::align_val_t{64});
  return toy::allocations() != before;
}

}  // namespace

TEST_CASE("memory: a tensor's bytes are in use while it exists, and cached afterwards", "[tensor][memory]") {
  const limit all(64 * MiB);
  for (std::size_t n : {std::size_t{1}, 3 * KiB, 5 * KiB, 40 * KiB, 8 * MiB}) {
    INFO(n);
    tb::release_cached_memory();
    const tb::memory_statistics before = tb::host_memory();
    CHECK(before.bytes_cached == 0);
    {
      const tensor t = bytes(n);
      const tb::memory_statistics with = tb::host_memory();
      CHECK(with.bytes_in_use >= before.bytes_in_use + n);
      CHECK(with.bytes_in_use <= before.bytes_in_use + n + n / 8 + 512);
      CHECK(with.allocations == before.allocations + (n <= 3 * KiB ? 1 : 2));
      CHECK(with.reused == before.reused);
      CHECK(with.peak_bytes_in_use >= with.bytes_in_use);
    }
    const tb::memory_statistics after = tb::host_memory();
    CHECK(after.bytes_in_use == before.bytes_in_use);
    CHECK(after.bytes_cached >= n);
    tb::release_cached_memory();
    CHECK(tb::host_memory().bytes_cached == 0);
    CHECK(tb::host_memory().bytes_in_use == before.bytes_in_use);
  }
}

TEST_CASE("memory: freed memory of a size is reused by the next tensor", "[tensor][memory]") {
  const limit all(64 * MiB);
  for (std::size_t n : {std::size_t{32}, 3 * KiB, 5 * KiB, 40 * KiB, 100 * KiB, 8 * MiB}) {
    INFO(n);
    const void* const first = bytes(n).data();
    const tb::memory_statistics before = tb::host_memory();
    for (int i = 0; i < 10; ++i) CHECK(bytes(n).data() == first);
    const tb::memory_statistics after = tb::host_memory();
    CHECK(after.reused - before.reused == after.allocations - before.allocations);
    CHECK(after.reused > before.reused);
    CHECK(after.bytes_cached == before.bytes_cached);
  }
}

TEST_CASE("memory: live tensors have distinct memory", "[tensor][memory]") {
  const limit all(64 * MiB);
  std::vector<tensor> alive;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t n = 1; n < 40 * KiB; n += n / 3 + 1) {
      alive.push_back(bytes(n));
      fill(alive.back(), static_cast<int>(alive.size() % 251));
    }
    for (std::size_t i = 0; i < alive.size(); ++i) CHECK(holds(alive[i], static_cast<int>((i + 1) % 251)));
    if (round == 1) alive.clear();
  }
}

TEST_CASE("memory: elements begin at a cache line, also in reused memory", "[tensor][memory]") {
  const limit all(64 * MiB);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t n = 1; n < 3 * MiB; n += n / 3 + 1) {
      CHECK(reinterpret_cast<std::uintptr_t>(bytes(n).data()) % 64 == 0);
    }
  }
  CHECK(bytes(0).data() == nullptr);
}

TEST_CASE("memory: sizes are rounded up by an eighth at most", "[tensor][memory]") {
  const limit all(64 * MiB);
  for (std::size_t n = 5 * KiB; n < 3 * MiB; n += n / 7) {
    const std::size_t before = tb::host_memory().bytes_in_use;
    const tensor small = bytes(0);  // its record's block is no part of n
    const std::size_t record = tb::host_memory().bytes_in_use - before;
    const tensor t = bytes(n);
    const std::size_t taken = tb::host_memory().bytes_in_use - before - 2 * record;
    INFO(n);
    CHECK(taken >= n);
    CHECK(taken <= n + n / 8 + 64);
  }
}

TEST_CASE("memory: at most the limit is cached, the most recently freed blocks", "[tensor][memory]") {
  const limit few(10 * MiB);
  {
    std::vector<tensor> alive;
    for (int i = 0; i < 30; ++i) alive.push_back(bytes(MiB));
  }
  CHECK(tb::host_memory().bytes_cached <= 10 * MiB);
  CHECK(tb::host_memory().bytes_cached >= 8 * MiB);

  const void* const old = bytes(2 * MiB).data();
  bytes(4 * MiB);
  CHECK(bytes(2 * MiB).data() == old);  // which is the younger one now
  {
    const tensor more = bytes(6 * MiB);
  }
  CHECK(tb::host_memory().bytes_cached <= 10 * MiB);
  const std::uint64_t reused = tb::host_memory().reused;
  CHECK(bytes(2 * MiB).data() == old);
  bytes(6 * MiB);
  CHECK(tb::host_memory().reused == reused + 4);  // each with its record
  bytes(4 * MiB);
  CHECK(tb::host_memory().reused == reused + 5);

  // What can never stay pushes nothing else out.
  const std::size_t before = tb::host_memory().bytes_cached;
  {
    const tensor huge = bytes(11 * MiB);
  }
  CHECK(tb::host_memory().bytes_cached >= before);
}

TEST_CASE("memory: a lower limit frees at once, and 0 caches nothing", "[tensor][memory]") {
  const limit all(64 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  {
    const std::array some{bytes(8), bytes(40 * KiB), bytes(8 * MiB), bytes(16 * MiB)};
  }
  CHECK(tb::host_memory().bytes_cached > 24 * MiB);
  tb::set_host_memory_limit(12 * MiB);
  CHECK(tb::host_memory().bytes_cached <= 12 * MiB);
  tb::set_host_memory_limit(0);
  CHECK(tb::host_memory().bytes_cached == 0);
  const std::uint64_t reused = tb::host_memory().reused;
  for (std::size_t n : {8, 5000, 50'000, 5'000'000}) {
    bytes(n);
    bytes(n);
    CHECK(tb::host_memory().bytes_cached == 0);
  }
  CHECK(tb::host_memory().reused == reused);
  CHECK(tb::host_memory().bytes_in_use == in_use);
}

TEST_CASE("memory: the peak usage is recorded", "[tensor][memory]") {
  const limit none(0);
  const std::size_t before = tb::host_memory().bytes_in_use;
  std::vector<tensor> alive;
  while (tb::host_memory().peak_bytes_in_use >= tb::host_memory().bytes_in_use + 8 * MiB)
    alive.push_back(bytes(8 * MiB));
  alive.push_back(bytes(32 * MiB));
  const std::size_t most = tb::host_memory().bytes_in_use;
  CHECK(tb::host_memory().peak_bytes_in_use == most);
  alive.clear();
  CHECK(tb::host_memory().bytes_in_use == before);
  CHECK(tb::host_memory().peak_bytes_in_use == most);
}

TEST_CASE("memory: a million small tensors take the memory of one", "[tensor][memory]") {
  const limit all(64 * MiB);
  bytes(32);
  const tb::memory_statistics before = tb::host_memory();
  for (int i = 0; i < 1'000'000; ++i) bytes(32);
  const tb::memory_statistics after = tb::host_memory();
  CHECK(after.bytes_in_use + after.bytes_cached == before.bytes_in_use + before.bytes_cached);
  CHECK(after.allocations == before.allocations + 1'000'000);
  CHECK(after.reused == before.reused + 1'000'000);
}

TEST_CASE("memory: a thread caches at most its share", "[tensor][memory]") {
  const limit none(4 * MiB);
  for (std::size_t n : {std::size_t{8}, 2 * KiB, 60 * KiB}) {
    std::vector<tensor> alive;
    for (int i = 0; i < 20'000 && i * n < 64 * MiB; ++i) alive.push_back(bytes(n));
    alive.clear();
    CHECK(tb::host_memory().bytes_cached <= 4 * MiB);
  }
}

TEST_CASE("memory: tensors made on one thread and dropped on another do not grow memory", "[tensor][memory]") {
  const limit all(16 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  struct box {
    tensor held;
    std::atomic<bool> full{false};
  };
  std::array<box, 8> boxes;
  std::size_t most = 0;
  constexpr std::size_t count = 100'000;
  std::thread dropping([&] {
    for (std::size_t i = 0; i < count; ++i) {
      box& from = boxes[i % boxes.size()];
      while (!from.full.load(std::memory_order_acquire)) std::this_thread::yield();
      if (i % 1000 == 0 && !holds(from.held, static_cast<int>(i % 251))) std::abort();
      from.held = tensor();
      from.full.store(false, std::memory_order_release);
    }
  });
  for (std::size_t i = 0; i < count; ++i) {
    box& to = boxes[i % boxes.size()];
    while (to.full.load(std::memory_order_acquire)) std::this_thread::yield();
    to.held = bytes(i % 2 == 0 ? 32 : 5 * KiB);
    if (i % 1000 == 0) fill(to.held, static_cast<int>(i % 251));
    to.full.store(true, std::memory_order_release);
    if (i % 10'000 == 0) {
      const tb::memory_statistics now = tb::host_memory();
      most = std::max(most, now.bytes_in_use + now.bytes_cached - in_use);
    }
  }
  dropping.join();
  CHECK(most < 17 * MiB);
  CHECK(tb::host_memory().bytes_in_use == in_use);
  CHECK(tb::host_memory().bytes_cached <= 16 * MiB);
}

TEST_CASE("memory: a thread's cache is available to others when it ends", "[tensor][memory]") {
  const limit all(64 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  const void* at = nullptr;
  elsewhere([&] { at = bytes(32).data(); });
  CHECK(tb::host_memory().bytes_in_use == in_use);
  CHECK(bytes(32).data() == at);
  // And threads that come and go leave nothing behind.
  const tb::memory_statistics before = tb::host_memory();
  for (int i = 0; i < 100; ++i)
    elsewhere([] {
      bytes(32);
      bytes(32);
    });
  const tb::memory_statistics after = tb::host_memory();
  CHECK(after.bytes_in_use + after.bytes_cached <= before.bytes_in_use + before.bytes_cached + KiB);
  CHECK(after.allocations == before.allocations + 200);
  CHECK(after.reused >= before.reused + 100);
}

TEST_CASE("memory: another thread releases its cache when it next frees", "[tensor][memory]") {
  const limit all(64 * MiB);
  std::atomic<int> step{0};
  const auto until = [&](int wanted) {
    while (step.load() != wanted) std::this_thread::yield();
  };
  std::thread other([&] {
    const tensor last = bytes(32);
    {
      const std::array some{bytes(32), bytes(40 * KiB)};
    }
    step = 1;
    until(2);
    bytes(32);
    step = 3;
    until(4);
  });
  until(1);
  CHECK(tb::host_memory().bytes_cached >= 40 * KiB);
  tb::release_cached_memory();
  CHECK(tb::host_memory().bytes_cached >= 40 * KiB);  // nobody else may touch it
  step = 2;
  until(3);
  CHECK(tb::host_memory().bytes_cached == 0);
  step = 4;
  other.join();
}

TEST_CASE("memory: tensors may be made and dropped while a thread ends, and the process", "[tensor][memory]") {
  struct maker {
    tensor held;
    ~maker() {
      held = bytes(32);
      held = bytes(5 * KiB);
      held = tensor();
    }
  };
  const limit all(64 * MiB);
  static maker last;  // ends after the thread-locals of this thread, its cache among them
  last.held = bytes(32);
  const tb::memory_statistics before = tb::host_memory();
  for (int i = 0; i < 20; ++i) {
    elsewhere([] {
      // Made before the thread had a cache, so it ends after that.
      static thread_local maker late;
      late.held = bytes(32);
    });
  }
  const tb::memory_statistics after = tb::host_memory();
  CHECK(after.bytes_in_use == before.bytes_in_use);
  CHECK(after.bytes_cached <= before.bytes_cached + 16 * KiB);
}

TEST_CASE("memory: the system may use large pages for large blocks", "[tensor][memory]") {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) SKIP("this system has no such pages");
  tb::release_cached_memory();
  const tensor t = bytes(16 * MiB);
  const auto at = reinterpret_cast<std::uintptr_t>(t.data()) + 8 * MiB;
  std::ifstream maps("/proc/self/smaps");
  bool here = false, asked = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx ", &begin, &end) == 2) here = begin <= at && at < end;
    if (here && line.starts_with("VmFlags:")) asked = line.find(" hg") != std::string::npos;
  }
  CHECK(asked);
}

TEST_CASE("memory: a failed allocation is retried after releasing the caches, before bad_alloc", "[tensor][memory]") {
  if (!counted()) SKIP("a sanitizer keeps operator new to itself");
  const limit all(64 * MiB);
  bytes(32);
  {
    const tensor large = bytes(8 * MiB);
  }
  CHECK(tb::host_memory().bytes_cached > 8 * MiB);
  const std::size_t in_use = tb::host_memory().bytes_in_use;
  toy::fail_allocation(1);
  const tensor second_try = bytes(4 * KiB - 700);  // nothing of this class was cached
  toy::fail_allocation(0);
  CHECK(second_try.data() != nullptr);
  CHECK(tb::host_memory().bytes_cached == 0);

  const tb::memory_statistics before = tb::host_memory();
  CHECK_THROWS_AS(bytes(std::size_t{1} << 59), std::bad_alloc);
  CHECK_THROWS_AS(tb::storage(tb::cpu, ~std::size_t{0}), std::bad_alloc);
  const tb::memory_statistics after = tb::host_memory();
  CHECK(after.bytes_in_use == before.bytes_in_use);
  CHECK(after.peak_bytes_in_use == before.peak_bytes_in_use);
  CHECK(in_use < before.bytes_in_use);
}
