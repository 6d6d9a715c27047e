// What a project writes that has its own array type and wants only the dispatcher.
#include <cstdio>

import topbit.core;

namespace img {
struct image {
  topbit::key_set keys;
  int width, height;
};
constexpr topbit::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr topbit::op<"img::blur", image(const image&, double)> blur;

image blur_cpu(const image& i, double) { return {i.keys, i.width, i.height + 1}; }
const auto kernels = topbit::library("img").def(blur).impl<&blur_cpu>(blur, topbit::key::CPU);
}  // namespace img

int main() {
  const img::image blurred = img::blur(img::image{topbit::key::CPU, 3, 4}, 0.5);
  std::printf("%d x %d\n", blurred.width, blurred.height);
  return blurred.height == 5 ? 0 : 1;
}
