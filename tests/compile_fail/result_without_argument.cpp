// expect: error: static assertion failed: img::copy, result: found 'image&', the type of no argument; a result by reference is one of the arguments, returned$
// topic: types
// A result that is written is one of the arguments, returned.
import topbit.core;

struct image {
  int width;
};
template <>
struct topbit::schema_type<"Image"> {
  using value = image;
  using argument = const image&;
};

#ifndef FIXED
inline constexpr topbit::op<"img::copy(Image self) -> Image(a!)"> copy;
#else
inline constexpr topbit::op<"img::copy(Image self, *, Image(a!) out) -> Image(a!)"> copy;
#endif
constexpr auto name = decltype(copy)::name();
