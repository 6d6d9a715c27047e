#include "call_costs.h"

#include <chrono>
#include <cstdio>

import topbit.core;

namespace {

// A toy type: the times are those of the dispatcher alone.
struct point {
  topbit::key_set keys;
  int x;
};
constexpr topbit::key_set keys_of(const point& p) noexcept { return p.keys; }

inline constexpr topbit::op<"demo::distance", int(const point&, const point&)> distance;
int distance_cpu(const point& a, const point& b) { return b.x - a.x; }
const auto kernels = topbit::library("demo").def(distance).impl<&distance_cpu>(distance, topbit::key::CPU);

// The minimum of several runs: the one with the least disturbance.
template <class Call>
double nanoseconds(Call call) {
  using clock = std::chrono::steady_clock;
  constexpr int calls = 200'000;
  double best = 1e9;
  for (int run = 0; run < 7; ++run) {
    const auto start = clock::now();
    for (int i = 0; i < calls; ++i) call();
    best = std::min(best, std::chrono::duration<double, std::nano>(clock::now() - start).count() / calls);
  }
  return best;
}

}  // namespace

void print_call_costs() {
  const point a{topbit::key::CPU, 1}, b{topbit::key::CPU, 3};
  int (*volatile pointer)(const point&, const point&) = &distance_cpu;
  volatile int sink = 0;
  const double by_pointer = nanoseconds([&] { sink = pointer(a, b); });
  const double unboxed = nanoseconds([&] { sink = distance(a, b); });
  const auto handle = distance.handle();
  const double boxed = nanoseconds([&] {
    topbit::inline_stack<4> s;
    s.push(topbit::value::borrow(a));
    s.push(topbit::value::borrow(b));
    handle.call_boxed(s);
    sink = s[0].get<int>();
  });
  std::printf("what a call costs           ns   ratio\n");
  std::printf("  function pointer     %7.2f  %6.2f\n", by_pointer, 1.0);
  std::printf("  unboxed operator     %7.2f  %6.2f\n", unboxed, unboxed / by_pointer);
  std::printf("  boxed operator       %7.2f  %6.2f\n", boxed, boxed / by_pointer);
}
