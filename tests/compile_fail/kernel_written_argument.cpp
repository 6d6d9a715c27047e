// expect: error: static assertion failed: kernel for img::clear_, argument 1 'self': the schema needs 'image&', the kernel takes 'const image&'; remove const, the operator writes it$
// rule: R15
// topic: kernels
// A kernel may write what the operator writes, and must be able to.
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

inline constexpr topbit::op<"img::clear_(Image(a!) self) -> ()"> clear_;

#ifndef FIXED
void clear__cpu(const image& self);
#else
void clear__cpu(image& self);
#endif
const auto kernels = topbit::library("img").def(clear_).impl<&clear__cpu>(clear_, topbit::key::CPU);
