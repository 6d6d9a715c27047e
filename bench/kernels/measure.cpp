#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

namespace bench {

namespace {

// A call longer than this warms its caches itself.
constexpr double long_call = 3e-3;

// Grows until the clock's own cost does not matter.
double estimate(const entrant& e, double round) {
  for (std::int64_t calls = 1;; calls *= 4) {
    const double seconds = e.where->seconds(e.which, calls);
    if (seconds > round / 4 || calls > 1 << 26) return seconds / static_cast<double>(calls);
  }
}

}  // namespace

timing summary(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(seconds.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, seconds.size() - 1);
    return seconds[below] + (place - static_cast<double>(below)) * (seconds[above] - seconds[below]);
  };
  return {at(0.5), at(0.25), at(0.75), seconds.front()};
}

std::vector<timing> measure(const std::vector<entrant>& all, const effort& how, bool warm, std::mt19937& random) {
  using clock = std::chrono::steady_clock;
  const auto began = clock::now();
  std::vector<std::int64_t> calls;
  std::vector<bool> warmed;
  for (const entrant& e : all) {
    std::this_thread::sleep_for(std::chrono::duration<double>(how.rest));
    const double one = estimate(e, how.round);
    calls.push_back(std::max<std::int64_t>(1, std::llround(how.round / one)));
    warmed.push_back(warm && one < long_call);
  }
  std::vector<std::vector<double>> seconds(all.size());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < how.rounds; ++round) {
    const std::chrono::duration<double> spent = clock::now() - began;
    if (round >= how.least_rounds && spent.count() > how.row) break;
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      std::this_thread::sleep_for(std::chrono::duration<double>(how.rest));
      if (warmed[i] || how.rest > 0) all[i].where->seconds(all[i].which, 1);
      seconds[i].push_back(all[i].where->seconds(all[i].which, calls[i]) / static_cast<double>(calls[i]));
    }
  }
  std::vector<timing> found;
  for (std::vector<double>& s : seconds) found.push_back(summary(std::move(s)));
  return found;
}

}  // namespace bench
