// Traces of several threads, and traces that come and go under load. Meant to run under ThreadSanitizer too.
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
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

namespace {

inline constexpr tb::op<"trace_threads::inner", int(const image&)> inner;
inline constexpr tb::op<"trace_threads::outer", int(const image&)> outer;

int width(const image& i) { return i.width; }
int minus_width(const image& i) { return -i.width; }
int outer_kernel(const image& i) { return inner(i); }

inline constexpr tb::op<"trace_threads::meanwhile", int(const image&)> meanwhile;
std::unique_ptr<const tb::trace_session> begun_elsewhere;
int meanwhile_kernel(const image& i) {
  std::thread([] { begun_elsewhere.reset(new tb::trace_session(tb::trace_session::process())); }).join();
  return inner(i);
}

const auto kernels = tb::library("trace_threads")
                         .def(meanwhile)
                         .impl<&meanwhile_kernel>(meanwhile, key::CPU)
                         .def(inner)
                         .impl<&width>(inner, key::CPU)
                         .def(outer)
                         .impl<&outer_kernel>(outer, key::CPU);
const image on_cpu{key::CPU, 7, 0};

}  // namespace

TEST_CASE("trace threads: one of a thread hears of that thread alone", "[core][trace][threads]") {
  tb::trace_session t = tb::trace_session::this_thread();
  std::thread([] { CHECK(outer(on_cpu) == 7); }).join();
  CHECK(t.events().empty());
  CHECK(outer(on_cpu) == 7);
  CHECK(t.events().size() == 2);
}

TEST_CASE("trace threads: one of the process hears of all, each by a number of its own", "[core][trace][threads]") {
  constexpr int threads = 4, calls = 300;
  tb::trace_session t = tb::trace_session::process();
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([] {
      for (int n = 0; n < calls; ++n) (void)outer(on_cpu);
    });
  }
  for (std::thread& each : all) each.join();
  CHECK(outer(on_cpu) == 7);
  t.stop();
  const auto events = t.events();
  CHECK(events.size() == 2 * threads * calls + 2);
  CHECK(t.dropped() == 0);
  std::set<unsigned> numbers;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < events.size(); i += 2) {
    numbers.insert(events[i].thread);
    wrong += events[i].op != "trace_threads::outer" || events[i].depth != 0;
    wrong += events[i + 1].op != "trace_threads::inner" || events[i + 1].depth != 1;
    wrong += events[i + 1].thread != events[i].thread;
  }
  CHECK(wrong == 0);
  CHECK(numbers.size() == threads + 1);
  std::size_t headings = 0;
  const std::string text = t.text();
  for (std::size_t at = 0; (at = text.find("thread ", at)) != std::string::npos; ++at) ++headings;
  CHECK(headings == threads + 1);
  const bool same = text == to_string(events);  // too long to be printed
  CHECK(same);
}

TEST_CASE("trace threads: one begun elsewhere while a thread is in a call has its later calls at their own depths",
          "[core][trace][threads]") {
  const tb::trace_session first = tb::trace_session::this_thread();
  CHECK(meanwhile(on_cpu) == 7);
  for (int i = 0; i < 3; ++i) CHECK(outer(on_cpu) == 7);
  std::vector<unsigned> depths;
  for (const tb::inspect::trace_event& e : begun_elsewhere->events()) depths.push_back(e.depth);
  CHECK(depths == std::vector<unsigned>{0, 0, 1, 0, 1, 0, 1});
  CHECK(begun_elsewhere->dropped() == 0);
  begun_elsewhere.reset();
}

TEST_CASE("trace threads: numbers are for threads that a trace listened to", "[core][trace][threads]") {
  const auto number_of_a_thread = [] {
    unsigned number = 0;
    std::thread([&] {
      tb::trace_session t = tb::trace_session::this_thread();
      (void)inner(on_cpu);
      number = t.events().at(0).thread;
    }).join();
    return number;
  };
  const tb::trace_session this_one = tb::trace_session::this_thread();
  const unsigned first = number_of_a_thread();
  std::thread([] { (void)inner(on_cpu); }).join();  // hears that a trace has ended, and is in none
  CHECK(number_of_a_thread() == first + 1);
}

TEST_CASE("trace threads: calls find their kernels while traces and registrations come and go",
          "[core][trace][threads][H5]") {
  std::atomic<bool> stop = false;
  std::atomic<std::int64_t> wrong = 0, calls = 0, recorded = 0;
  const std::vector<std::function<void()>> jobs{
      [&] {
        wrong += outer(on_cpu) != 7;
        ++calls;
      },
      [&] {
        tb::boxed_stack s;
        s.push(on_cpu);
        outer.handle().call_boxed(s);
        wrong += s[0].get<int>() != 7;
      },
      [&] {
        tb::trace_session t = tb::trace_session::process(100);
        for (int i = 0; i < 20; ++i) wrong += outer(on_cpu) != 7;
        recorded += static_cast<std::int64_t>(t.events().size());
        t.clear();
      },
      [&] {
        tb::trace_session t = tb::trace_session::this_thread();
        wrong += outer(on_cpu) != 7;
        wrong += t.events().size() != 2;
      },
      [&] {
        const auto layer = tb::implement("trace_threads", key::CUDA).impl<&minus_width>(inner);
        wrong += inner(image{key::CUDA, 7, 0}) != -7;
      },
      [&] { wrong += !verify(outer.handle()).empty() || !verify(inner.handle()).empty(); },
  };
  std::vector<std::thread> threads;
  for (const auto& job : jobs) {
    threads.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) job();
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  stop = true;
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(calls > 0);
  CHECK(recorded > 0);
  CHECK(verify(inner.handle()).empty());
}
