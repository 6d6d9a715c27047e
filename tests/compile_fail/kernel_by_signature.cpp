// expect: error: static assertion failed: kernel for img::blur, argument 2: the schema needs 'double', the kernel takes 'float'$
// rule: R15
// topic: kernels
// An operator declared by its C++ signature has no argument names; the sentence does without.
import topbit.core;

struct image {
  topbit::key_set keys;
};
constexpr topbit::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr topbit::op<"img::blur", image(const image&, double)> blur;

#ifndef FIXED
image blur_cpu(const image&, float);
#else
image blur_cpu(const image&, double);
#endif
const auto kernels = topbit::library("img").def(blur).impl<&blur_cpu>(blur, topbit::key::CPU);
