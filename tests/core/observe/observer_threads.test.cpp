// Observers of several threads that come and go under load. Meant to run under ThreadSanitizer too.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
namespace observe = topbit::observe;
using toy::image;

namespace {

inline constexpr tb::op<"observe_threads::inner", int(const image&)> inner;
inline constexpr tb::op<"observe_threads::outer", int(const image&)> outer;
int width(const image& i) { return i.width; }
int outer_kernel(const image& i) { return inner(i); }
const auto kernels = tb::library("observe_threads")
                         .def(inner)
                         .impl<&width>(inner, key::CPU)
                         .def(outer)
                         .impl<&outer_kernel>(outer, key::CPU);
const image on_cpu{key::CPU, 7, 0};

// Threads that call until the scope ends.
class load {
 public:
  explicit load(int threads) {
    for (int i = 0; i < threads; ++i) {
      all_.emplace_back([this] {
        while (!stop_) {
          const tb::observe::profile_range range("round");
          (void)outer(on_cpu);
          ++rounds_;
        }
      });
    }
  }
  load(const load&) = delete;
  ~load() {
    stop_ = true;
    for (std::thread& t : all_) t.join();
  }
  void wait_for_rounds(int count) const {
    for (const int from = rounds_; rounds_ - from < count;) std::this_thread::yield();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> rounds_ = 0;
  std::vector<std::thread> all_;
};

}  // namespace

TEST_CASE("observer threads: mine sees this thread alone, all sees each", "[core][observe][threads][PR1]") {
  constexpr int threads = 3, calls = 200;
  int mine = 0;
  std::mutex mutex;
  std::set<unsigned> numbers;
  int all = 0;
  const observe::observer of_mine([&](const observe::event&) { ++mine; });
  const observe::observer of_all(
      [&](const observe::event& e) {
        const std::lock_guard lock(mutex);
        numbers.insert(e.thread());
        ++all;
      },
      {.threads = observe::threads::all});
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([] {
      for (int n = 0; n < calls; ++n) (void)outer(on_cpu);
    });
  }
  for (std::thread& t : running) t.join();
  CHECK(outer(on_cpu) == 7);
  CHECK(mine == 2);
  CHECK(all == 2 * (threads * calls + 1));
  CHECK(numbers.size() == threads + 1);
}

TEST_CASE("observer threads: after its end no thread is in it", "[core][observe][threads][PR2]") {
  const load running(3);
  for (int i = 0; i < 200; ++i) {
    struct state {
      std::atomic<int> inside = 0, pairs = 0;
      std::atomic<bool> gone = false;
      std::atomic<bool> was_seen_after_its_end = false;
      void begin(const observe::event&) {
        ++inside;
        if (gone) was_seen_after_its_end = true;
        ++pairs;
        --inside;
      }
      void end(const observe::event&) {
        ++inside;
        --pairs;
        --inside;
      }
    } seen;
    {
      const observe::observer watching(seen, {.threads = observe::threads::all});
      running.wait_for_rounds(5);
    }
    REQUIRE(seen.inside == 0);
    seen.gone = true;
    running.wait_for_rounds(2);
    REQUIRE_FALSE(seen.was_seen_after_its_end);
  }
}

TEST_CASE("observer threads: two that end each other do not wait for each other", "[core][observe][threads][PR2]") {
  const load running(2);
  for (int i = 0; i < 100; ++i) {
    std::atomic<bool> ready = false;
    std::atomic<int> ends = 0;
    std::optional<observe::observer> a, b;
    const auto end = [&](std::optional<observe::observer>& other) {
      return [&](const observe::event&) {
        if (!ready.exchange(false)) return;
        other->stop();
        ++ends;
      };
    };
    a.emplace(end(b), observe::options{.threads = observe::threads::all});
    b.emplace(end(a), observe::options{.threads = observe::threads::all});
    ready = true;
    while (ends == 0) std::this_thread::yield();
  }
}

TEST_CASE("observer threads: the calls of a forked child are not seen", "[core][observe][threads][fork][PR2]") {
  std::atomic<int> calls = 0;
  const load running(1);
  std::optional<observe::observer> watching;
  watching.emplace([&](const observe::event&) { ++calls; }, observe::options{.threads = observe::threads::all});
  running.wait_for_rounds(3);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    calls = 0;
    const tb::observe::profile_range range("child");
    (void)outer(on_cpu);
    int of_child = 0;
    {
      const observe::observer own([&](const observe::event&) { ++of_child; });
      (void)outer(on_cpu);
    }
    watching.reset();
    (void)outer(on_cpu);
    _exit(calls == 0 && of_child == 2 ? 0 : 1);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0) {
  }
  CHECK(status == 0);
}

TEST_CASE("observer threads: threads that end while they are observed leave nothing", "[core][observe][threads]") {
  std::atomic<int> calls = 0;
  const observe::observer watching([&](const observe::event&) { ++calls; }, {.threads = observe::threads::all});
  for (int i = 0; i < 50; ++i) std::thread([] { (void)outer(on_cpu); }).join();
  CHECK(calls == 100);
}
