// expect: error: static assertion failed: kernel for img::blur_, result: the schema needs 'image&', the kernel returns 'image'; return the written argument itself, by reference$
// rule: R15
// topic: kernels
// An operator that writes an argument and returns it returns the argument, and no copy.
import topbit.core;

struct image {
  topbit::key_set keys;
};
constexpr topbit::key_set keys_of(const image& i) noexcept { return i.keys; }
template <>
struct topbit::schema_type<"Image"> {
  using value = image;
  using argument = const image&;
};

inline constexpr topbit::op<"img::blur_(Image(a!) self) -> Image(a!)"> blur_;

#ifndef FIXED
image blur__cpu(image& self);
#else
image& blur__cpu(image& self);
#endif
const auto kernels = topbit::library("img").def(blur_).impl<&blur__cpu>(blur_, topbit::key::CPU);
