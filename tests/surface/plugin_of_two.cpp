// A plugin outside the tree: it imports topbit's interface and leaves the symbols to its host.
import topbit.core;

struct item {
  topbit::key_set keys;
};
constexpr topbit::key_set keys_of(const item& i) noexcept { return i.keys; }

inline constexpr topbit::op<"two::answer", int(const item&)> answer;
static int answer_cpu(const item&) { return 42; }
static const auto kernels = topbit::library("two").def(answer).impl<&answer_cpu>(answer, topbit::key::CPU);
