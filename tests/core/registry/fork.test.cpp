// A fork has one thread. What others were doing when it was made must not stop it.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/child.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace fork_ops {

inline constexpr tb::op<"frk::width", int(const image&)> width;
inline constexpr tb::op<"frk::comes_and_goes", int(const image&)> comes_and_goes;
int width_cpu(const image& i) { return i.width; }
void pass(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(key::UserTop2), s);
}
const auto kernels = tb::library("frk").def(width).impl<&width_cpu>(width, key::CPU);

void register_and_call() {
  const auto block =
      tb::fragment("frk").def(comes_and_goes).impl<&width_cpu>(comes_and_goes, key::CPU).def<&width_cpu>("by_name");
  const auto layer = tb::implement("frk").impl_boxed<&pass>(width, key::UserTop2);
  const tb::include_guard through(key::UserTop2);
  (void)width(image{key::CPU, 7, 0});
}

// What the groups of locks were asked, newest last.
std::string asked;
template <char Group>
void hold_group(tb::author::fork_order order) {
  tb::author::hold_at_fork([]() noexcept { asked += Group; },
                           [](bool in_child) noexcept { (asked += in_child ? 'c' : 'p') += Group; }, order);
}

}  // namespace fork_ops
using namespace fork_ops;

TEST_CASE("fork: a child registers, whatever threads of its parent were registering", "[core][threads][fork]") {
  CHECK(toy::children_end_beside_threads(100, &register_and_call));
}

TEST_CASE("fork: a listener of a child hears, whomever a thread of its parent was telling", "[core][threads][fork]") {
  std::atomic<int> state = 0;
  const auto listening = tb::registry::process().listen([&](const tb::registry_event& e) {
    if (e.op.name() != "frk::comes_and_goes") return;
    int before = 0;
    if (!state.compare_exchange_strong(before, 1)) return;
    while (state != 2) std::this_thread::yield();
  });
  std::thread teller([] { const auto block = tb::fragment("frk").def(comes_and_goes); });
  while (state != 1) std::this_thread::yield();
  const bool ended = toy::child_ends([] {
    int heard = 0;
    auto mine = tb::registry::process().listen([&](const tb::registry_event&) { ++heard; });
    const int before = heard;
    const auto block = tb::fragment("frk").def<&width_cpu>("by_name");
    if (before == 0 || heard != before + 1) throw heard;
    mine.reset();
  });
  state = 2;
  teller.join();
  CHECK(ended);
}

TEST_CASE("fork: locks of others are held in the order of their groups, and released on both sides",
          "[core][threads][fork]") {
  using enum tb::author::fork_order;
  hold_group<'3'>(leaf);
  hold_group<'2'>(calling);
  hold_group<'1'>(registering);
  static std::mutex& lock = tb::author::hold_at_fork(*new std::mutex, leaf);
  asked.clear();
  const bool ended = toy::child_ends([] {
    if (asked != "123c3c2c1" || !lock.try_lock()) throw asked;
  });
  CHECK(ended);
  CHECK(asked == "123p3p2p1");
  CHECK(lock.try_lock());
  lock.unlock();
}

TEST_CASE("fork: a lock that a thread holds is waited for, and what it guards is whole in the child",
          "[core][threads][fork]") {
  static std::mutex& lock = tb::author::hold_at_fork(*new std::mutex, tb::author::fork_order::leaf);
  static int first = 0, second = 0;
  const auto change_both = [] {
    const std::lock_guard both(lock);
    if (first++ != second) throw first;
    std::this_thread::yield();
    ++second;
  };
  CHECK(toy::children_end_beside_threads(100, change_both));
}
