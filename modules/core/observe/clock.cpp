// The clock of observers on processors without an invariant time stamp counter: CLOCK_MONOTONIC.
module;

#include <time.h>

module topbit.core;

import topbit.std;
import :observe.listener;

namespace topbit::detail {

std::uint64_t clock_ticks() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
double nanoseconds_per_tick() noexcept { return 1; }
void start_clock() noexcept {}

}  // namespace topbit::detail
