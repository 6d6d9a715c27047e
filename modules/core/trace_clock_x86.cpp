// The clock of traces on x86: the time stamp counter, where the processor says that it runs at one rate in every state
// of power and speed. It is read without waiting for instructions before it, so a call may seem a few nanoseconds
// longer or shorter than it was; to wait would cost as much again.
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

double measured_rate() noexcept {
  const std::uint64_t from = system_nanoseconds(), first = __builtin_ia32_rdtsc();
  std::uint64_t to = from;
  while (to - from < 1'000'000) to = system_nanoseconds();
  return static_cast<double>(to - from) / static_cast<double>(__builtin_ia32_rdtsc() - first);
}

}  // namespace

std::uint64_t trace_ticks() noexcept {
  return rate.load(std::memory_order_relaxed) == no_counter ? system_nanoseconds() : __builtin_ia32_rdtsc();
}
double nanoseconds_per_tick() noexcept {
  const double r = rate.load(std::memory_order_relaxed);
  return r == no_counter ? 1 : r;
}

void start_trace_clock() noexcept {
  if (rate.load(std::memory_order_relaxed) != unknown) return;
  double expected = unknown;
  rate.compare_exchange_strong(expected, counter_is_steady() ? measured_rate() : no_counter, std::memory_order_relaxed);
}

}  // namespace topbit::detail
