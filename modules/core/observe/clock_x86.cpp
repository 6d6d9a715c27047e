// The clock of observers on x86: the time stamp counter if it is invariant, else CLOCK_MONOTONIC. RDTSC is read without
// a serialising fence, so a duration may be off by a few nanoseconds; a fence would double the cost.
module;

#include <cpuid.h>
#include <time.h>

module topbit.core;

import topbit.std;

namespace topbit::detail {

namespace {

constexpr double unknown = 0, no_counter = -1;
constinit std::atomic<double> rate = unknown;  // nanoseconds per tick of the counter

std::uint64_t system_nanoseconds() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

bool counter_is_steady() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned power_management = 0x80000007, invariant_counter = 1u << 8;
  return __get_cpuid(power_management, &a, &b, &c, &d) != 0 && (d & invariant_counter) != 0;
}

// One instant read on both clocks.
struct moment {
  std::uint64_t system, counter;
  std::uint64_t doubt;  // uncertainty of `system` in nanoseconds
};

// The thread may be preempted between two readings, so the counter is read between two readings of the system clock
// until these are close together.
moment now() noexcept {
  constexpr std::uint64_t close = 1000;
  constexpr int most_tries = 100;
  moment best{0, 0, std::numeric_limits<std::uint64_t>::max()};
  for (int i = 0; i < most_tries && best.doubt > close; ++i) {
    const std::uint64_t from = system_nanoseconds(), counter = __builtin_ia32_rdtsc(), to = system_nanoseconds();
    if (to - from < best.doubt) best = {from + (to - from) / 2, counter, to - from};
  }
  return best;
}

double measured_rate() noexcept {
  const moment first = now();
  while (system_nanoseconds() - first.system < 1'000'000) {
  }
  const moment last = now();
  return static_cast<double>(last.system - first.system) / static_cast<double>(last.counter - first.counter);
}

}  // namespace

std::uint64_t clock_ticks() noexcept {
  return rate.load(std::memory_order_relaxed) == no_counter ? system_nanoseconds() : __builtin_ia32_rdtsc();
}
double nanoseconds_per_tick() noexcept {
  const double r = rate.load(std::memory_order_relaxed);
  return r == no_counter ? 1 : r;
}

void start_clock() noexcept {
  if (rate.load(std::memory_order_relaxed) != unknown) return;
  double expected = unknown;
  rate.compare_exchange_strong(expected, counter_is_steady() ? measured_rate() : no_counter, std::memory_order_relaxed);
}

}  // namespace topbit::detail
