// A module of operators and their kernels, as a set that others import.
export module toy.set_module;

import topbit.core;

namespace elsewhere {

export inline constexpr topbit::op<"elsewhere::half(int n, int by=2) -> int"> half;
export inline constexpr topbit::op<"elsewhere::next", int(int)> next;

// Not exported: whoever imports the set calls it all the same.
long half_cpu(long n, long by) { return n / by; }
constexpr int next_cpu(int n) noexcept { return n + 1; }

export inline constexpr auto cpu = topbit::static_dispatch::kernels<topbit::key::CPU>(
    topbit::static_dispatch::bind<half, &half_cpu>, topbit::static_dispatch::bind<next, &next_cpu>);
export struct everything {
  static constexpr auto kernels = topbit::static_dispatch::merge(cpu);
};

}  // namespace elsewhere
