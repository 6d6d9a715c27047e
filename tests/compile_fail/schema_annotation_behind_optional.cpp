// expect: error: static assertion failed: schema 'toy::width\(Image\?\(a\) x\) -> int', column 18: expected the annotation before the '\?'$
// rule: G1
// topic: schemas
// What an argument may alias is said before its '?'.
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
inline constexpr topbit::op<"toy::width(Image?(a) x) -> int"> width;
#else
inline constexpr topbit::op<"toy::width(Image(a)? x) -> int"> width;
#endif
