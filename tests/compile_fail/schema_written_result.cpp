// expect: error: static assertion failed: schema 'img::copy\(Image self\) -> Image\(a!\)', column 26: expected the type and alias set of an argument that is written, since this result is$
// topic: schemas
// A result that is written is one of the arguments, returned, and its alias set says which.
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
