// A counter: how often each operator was called, by all threads, without a lock. Copy namespace counter.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <thread>

import topbit;
namespace tb = topbit;

namespace counter {
constexpr tb::dispatch_key own_key = tb::key::UserMiddle1;

struct slot {
  std::atomic<const void*> op = nullptr;
  std::atomic<std::uint64_t> calls = 0;
};
constinit std::array<slot, 4096> slots;  // more than there are operators; calls of further ones are not counted

slot* slot_of(const tb::operator_handle& op, bool may_take) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(op.id()) / 64;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    slot& s = slots[(first + i) % slots.size()];
    const void* owner = s.op.load(std::memory_order_relaxed);
    if (owner == nullptr && !may_take) return nullptr;                   // a free slot: this operator was never counted
    if (owner == nullptr) s.op.compare_exchange_strong(owner, op.id());  // still null: this thread took the slot
    if (owner == nullptr || owner == op.id()) return &s;
  }
  return nullptr;
}

std::uint64_t calls_of(std::string_view name) {
  const slot* s = slot_of(tb::find(name), false);
  return s == nullptr ? 0 : s->calls.load();
}

void count_call(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& stack) {
  if (slot* s = slot_of(op, true)) s->calls.fetch_add(1, std::memory_order_relaxed);  // includes calls that throw
  op.redispatch_boxed(keys.below_highest(), stack);
}

const auto fallback = tb::fallback<&count_call>(own_key);
}  // namespace counter

int main() {
  const auto counting = tb::registry::process().include_always(counter::own_key);  // all threads, until it is destroyed
  const auto work = [] {
    const tb::tensor a = tb::from_values<float>({1, 2}, {2});
    for (int i = 0; i < 1000; ++i) tb::mean(a);
  };
  {
    const std::jthread one(work), two(work);
  }
  const tb::tensor one = tb::from_values<float>({1}, {1});
  std::cout << tb::explain(tb::aten::mean, one).selected << '\n';  // prints: UserMiddle1
  const auto calls = [](std::string_view name) { return static_cast<int>(counter::calls_of(name)); };
  std::printf("mean %d, sum in it %d\n", calls("aten::mean"), calls("aten::sum"));  // prints: mean 2000, sum in it 2000
}
