// A host outside the tree: loads a plugin of the same build, calls what it registers, and gives it back.
#include <cstdio>

import topbit.core;

struct item {
  topbit::key_set keys;
};
constexpr topbit::key_set keys_of(const item& i) noexcept { return i.keys; }

inline constexpr topbit::op<"two::answer", int(const item&)> answer;

int main() {
  const item i{topbit::key::CPU};
  topbit::plugin p = topbit::load_plugin(PLUGIN_FILE);
  if (answer(i) != 42) return 1;
  p.withdraw();
  try {
    (void)answer(i);
    return 2;
  } catch (const topbit::no_kernel& e) {
    std::puts(e.what());
  }
  return 0;
}
