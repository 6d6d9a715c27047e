// A fork has one thread. What others were doing when it was made must not stop it.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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

// 0 if a child of this process does the work; what would hang is ended by a signal.
template <class F>
int status_of_child(F&& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    work();
    _exit(0);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0) {
  }
  return status;
}

}  // namespace fork_ops
using namespace fork_ops;

TEST_CASE("fork: a child registers, whatever threads of its parent were registering", "[core][threads][fork]") {
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!stop) register_and_call();
    });
  }
  int status = 0;
  for (int i = 0; status == 0 && i < 100; ++i) status = status_of_child([] { register_and_call(); });
  stop = true;
  for (std::thread& t : threads) t.join();
  CHECK(status == 0);
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
  const int status = status_of_child([] {
    int heard = 0;
    auto mine = tb::registry::process().listen([&](const tb::registry_event&) { ++heard; });
    const int before = heard;
    const auto block = tb::fragment("frk").def<&width_cpu>("by_name");
    if (before == 0 || heard != before + 1) _exit(1);
    mine.reset();
  });
  state = 2;
  teller.join();
  CHECK(status == 0);
}
