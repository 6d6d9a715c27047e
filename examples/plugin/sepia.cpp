// The plugin of 090: a shared library whose static objects register an operator. It links topbit for its modules; the
// core's symbols come from the program that loads it.
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
