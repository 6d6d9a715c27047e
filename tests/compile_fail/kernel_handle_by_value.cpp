// expect: error: static assertion failed: kernel for img::width, argument 1 'self': the schema needs 'const image&', the kernel takes 'image'; take it by const reference$
// rule: R15
// topic: kernels
// What the operator takes by reference its kernel does too: a copy would cost each call.
#include <cstdint>
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

inline constexpr topbit::op<"img::width(Image self) -> int"> width;

#ifndef FIXED
std::int64_t width_cpu(image self);
#else
std::int64_t width_cpu(const image& self);
#endif
const auto kernels = topbit::library("img").def(width).impl<&width_cpu>(width, topbit::key::CPU);
