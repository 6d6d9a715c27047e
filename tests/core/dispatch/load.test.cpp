// Calls in great number while everything above the kernel that serves them comes and goes. Counted, not timed: each
// caller makes its calls, and whoever registers goes on until they have.
#include <array>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using toy::image;

namespace load_ops {

const int calls_of_each = scaled(400'000), names = scaled(20'000, 2'000);

inline constexpr tb::op<"load::width", int(const image&)> width;
inline constexpr tb::op<"load::other", int(const image&)> other;

int width_cpu(const image& i) { return i.width; }
template <tb::dispatch_key K>
int layer(key_set keys, const image& i) {
  return width.redispatch(keys & tb::below(K), i);
}
int autograd(key_set keys, const image& i) { return width.redispatch(keys & tb::below(key::Autograd), i); }
template <tb::dispatch_key K>
void pass_on(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(K), s);
}
// Where no layer stands for the moment, calls pass: these stay.
const auto kernels = tb::library("load")
                         .def(width)
                         .impl<&width_cpu>(width, key::CPU)
                         .fallthrough(width, key::Tracer)
                         .fallthrough(width, key::UserTop1)
                         .fallthrough(width, key::UserTop2)
                         .fallthrough(width, key::UserMiddle1);

// Runs the callers to their end and the others as long.
std::int64_t run(const std::vector<std::function<bool()>>& callers, const std::vector<std::function<void()>>& others) {
  std::atomic<std::size_t> calling = callers.size();
  std::atomic<std::int64_t> failed = 0;
  std::vector<std::thread> threads;
  for (const auto& call : callers) {
    threads.emplace_back([&] {
      for (int i = 0; i < calls_of_each; ++i) {
        try {
          failed += !call();
        } catch (...) {
          ++failed;
        }
      }
      --calling;
    });
  }
  for (const auto& change : others) {
    threads.emplace_back([&] {
      do change();
      while (calling != 0);
    });
  }
  for (std::thread& t : threads) t.join();
  return failed;
}

}  // namespace load_ops
using namespace load_ops;

TEST_CASE("load: not one of very many calls fails while all that stands above its kernel comes and goes",
          "[core][threads][H1][H3][H5]") {
  const image i{{key::CPU, key::AutogradCPU, key::Tracer, key::UserTop1}, 7, 0};
  const tb::operator_handle op = tb::find("load::width");
  const auto typed = op.typed<int(const image&)>();
  const auto failed =
      run({
              [&] { return width(i) == 7; },
              [&] { return typed(i) == 7; },
              [&] {
                tb::boxed_stack s;
                s.push(i);
                op.call_boxed(s);
                return s.size() == 1 && s[0].get<int>() == 7;
              },
          },
          {
              [] {
                const auto a = tb::implement("load", key::Tracer).impl<&layer<key::Tracer>>(width);
                const auto b = tb::implement("load", key::Tracer).replace<&layer<key::Tracer>>(width, key::Tracer);
                const auto c = tb::implement("load", key::Autograd).impl<&autograd>(width);
              },
              [] {
                const auto a = tb::implement("load").impl_boxed<&pass_on<key::UserTop1>>(width, key::UserTop1);
                const auto b = tb::fallback<&pass_on<key::AutogradCPU>>(key::AutogradCPU);
                const auto c = tb::fallthrough(key::UserTop2);
              },
              [] {
                auto on = tb::registry::process().include_always({key::UserTop2, key::UserMiddle1});
                const auto listening = tb::registry::process().listen([](const tb::registry_event&) {});
                const auto a = tb::implement("load", key::UserMiddle1).impl<&layer<key::UserMiddle1>>(width);
                const auto b = tb::fragment("load").def(other).impl<&width_cpu>(other, key::CPU);
              },
          });
  CHECK(failed == 0);
}

TEST_CASE("load: lookups by name find what is there while the table of names grows", "[core][threads][H2][H3]") {
  static constexpr int chunk = 100;
  tb::registry r;
  auto block = tb::library("load", r).def<&width_cpu>("there");
  std::atomic<int> registered = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::uint32_t random = 12345 + t;
      for (int known; (known = registered.load(std::memory_order_acquire)) < names;) {
        wrong += !r.try_find("load::there").has_value();
        wrong += r.try_find("load::nowhere").has_value();
        random = random * 1664525 + 1013904223;
        if (known == 0) continue;
        const std::string name = "load::op" + std::to_string(random % static_cast<unsigned>(known));
        const auto found = r.try_find(name);
        wrong += !found || found->name() != name;
        if (found) wrong += found->typed<int(const image&)>()(image{key::CPU, 7, 0}) != 7;
      }
    });
  }
  for (int i = 0; i < names; i += chunk) {
    for (int j = i; j < i + chunk; ++j) block.def<&width_cpu>("op" + std::to_string(j));
    registered.store(i + chunk, std::memory_order_release);
  }
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(r.operators().size() == static_cast<std::size_t>(names) + 1);
}
