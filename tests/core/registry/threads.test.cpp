// Callers do not wait for whoever registers. Meant to run under ThreadSanitizer too, and short enough for it.
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace threads_ops {

inline constexpr tb::op<"thr::width", int(const image&)> width;
inline constexpr tb::op<"thr::bound_by_all", int(const image&)> bound_by_all;
inline constexpr tb::op<"thr::comes_and_goes", int(const image&)> comes_and_goes;

int width_cpu(const image& i) { return i.width; }
int width_layer(key_set keys, const image& i) { return width.redispatch(keys & tb::below(key::Tracer), i); }
int width_autograd(key_set keys, const image& i) { return width.redispatch(keys & tb::below(key::Autograd), i); }
void boxed_layer(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(key::UserTop1), s);
}
const auto kernels = tb::library("thr")
                         .def(width)
                         .impl<&width_cpu>(width, key::CPU)
                         .fallthrough(width, key::Tracer)
                         .fallthrough(width, key::UserTop1)
                         .def(bound_by_all)
                         .impl<&width_cpu>(bound_by_all, key::CPU);

// Runs every job again and again for half a second, each on a thread of its own.
void side_by_side(const std::vector<std::function<void()>>& jobs) {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (const auto& job : jobs) {
    threads.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) job();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  stop = true;
  for (std::thread& t : threads) t.join();
}

// A state that a call reads: what it is after it is gone is not this.
struct summed {
  std::shared_ptr<std::atomic<std::int64_t>> wrong;
  std::vector<int> numbers = std::vector<int>(64, 7);
  void operator()(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) const {
    *wrong += std::accumulate(numbers.begin(), numbers.end(), 0) != 64 * 7;
    op.redispatch_boxed(keys & tb::below(key::UserTop1), s);
  }
};

}  // namespace threads_ops
using namespace threads_ops;

TEST_CASE("threads: calls find the kernel that stays while layers above it come and go", "[core][threads]") {
  std::atomic<std::int64_t> wrong = 0, calls = 0;
  const image i{{key::CPU, key::AutogradCPU, key::Tracer, key::UserTop1}, 7, 0};
  const auto by_name = tb::registry::process().find("thr::width").typed<int(const image&)>();
  const auto check = [&](int found) {
    wrong += found != 7;
    ++calls;
  };
  side_by_side({
      [&] { check(width(i)); },
      [&] { check(by_name(i)); },
      [&] {
        tb::boxed_stack s;
        s.push(i);
        tb::registry::process().find("thr::width").call_boxed(s);
        check(s[0].get<int>());
      },
      [&] { const auto layer = tb::implement("thr", key::Tracer).impl<&width_layer>(width); },
      [&] {
        const auto layer = tb::implement("thr", key::Autograd).impl<&width_autograd>(width);
        const auto fallback = tb::fallback<&boxed_layer>(key::UserTop2);
      },
      [&] { const auto layer = tb::implement("thr").impl_boxed<&boxed_layer>(width, key::UserTop1); },
  });
  CHECK(wrong == 0);
  CHECK(calls > 0);
}

TEST_CASE("threads: the state of a functor outlives the calls inside it, and nothing else", "[core][threads][H5]") {
  const auto wrong = std::make_shared<std::atomic<std::int64_t>>(0);
  const image i{{key::CPU, key::UserTop1}, 7, 0};
  const auto call = [&] { *wrong += width(i) != 7; };
  side_by_side({
      call,
      [&] {
        tb::boxed_stack s;
        s.push(i);
        width.handle().call_boxed(s);
        *wrong += s[0].get<int>() != 7;
      },
      [&] {
        const auto layer = tb::implement("thr").impl_boxed(width, key::UserTop1, summed{wrong});
        call();
      },
      [&] {
        const auto layer = tb::fallback(key::UserTop2, summed{wrong});
        const tb::include_guard through(key::UserTop2);
        call();
      },
  });
  CHECK(*wrong == 0);
  CHECK(wrong.use_count() == 1);
}

TEST_CASE("threads: explain and lookups run beside registrations", "[core][threads][H4]") {
  std::atomic<int> wrong = 0;
  const image i{{key::CPU, key::AutogradCPU}, 7, 0};
  side_by_side({
      [&] { wrong += !tb::explain(width, i).found; },
      [&] { wrong += tb::registry::process().find("thr::width").kernels().size() < 3; },
      [&] { wrong += tb::registry::process().find("thr::width").schema() != "thr::width(toy::image _0) -> int32"; },
      [&] { const auto layer = tb::implement("thr", key::Autograd).impl<&width_autograd>(width); },
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads: answers about a registry are of one moment, whatever comes and goes", "[core][threads][I4][H4]") {
  std::atomic<int> wrong = 0;
  const auto op = tb::registry::process().find("thr::width");
  const std::array some{op};
  side_by_side({
      [&] { wrong += !verify(op).empty(); },
      [&] { wrong += computed_table(op).empty(); },
      [&] { wrong += tb::dump().operators.empty() || dump(op).kernels.size() < 3; },
      [&] { wrong += tb::coverage(some).operators.size() != 1; },
      [&] { wrong += why_not(op, key::CPU).reason != tb::inspect::why_not_reason::runs; },
      [&] { wrong += what_if(op, {tb::inspect::removing(key::CPU)}).changed.empty(); },
      [&] {
        const auto layer = tb::implement("thr", key::Autograd).impl<&width_autograd>(width);
        const auto fallback = tb::fallback<&boxed_layer>(key::UserTop2);
      },
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads: a withdrawn operator throws or still runs, and nothing else happens", "[core][threads][D5]") {
  std::atomic<int> wrong = 0;
  const image i{key::CPU, 7, 0};
  side_by_side({
      [&] {
        try {
          wrong += comes_and_goes(i) != 7;
        } catch (const tb::no_kernel&) {
        }
      },
      [&] {
        if (const auto op = tb::registry::process().try_find("thr::comes_and_goes")) (void)op->name();
      },
      [&] { const auto block = tb::fragment("thr").def(comes_and_goes).impl<&width_cpu>(comes_and_goes, key::CPU); },
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads: the first calls of an operator may race", "[core][threads]") {
  std::atomic<int> wrong = 0, ready = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (++ready; ready != 4;) std::this_thread::yield();
      wrong += bound_by_all(image{key::CPU, 7, 0}) != 7;
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}
