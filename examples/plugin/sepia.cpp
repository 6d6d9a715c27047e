// The plugin of 090: a shared library that registers what any library does, from its own objects. It links topbit for
// its modules and leaves the symbols to the program that loads it.
import topbit.core;
namespace tb = topbit;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr tb::op<"img::sepia", int(const image&)> sepia;
int sepia_cpu(const image& i) { return i.width * i.height; }

const auto kernels = tb::library("img").def(sepia).impl<&sepia_cpu>(sepia, tb::key::CPU);
