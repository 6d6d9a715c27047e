// expect: error: static assertion failed: schema 'toy::width\(ImageWithAlphaAndMetadata x\) -> int', column 12: 'ImageWithAlphaAndMetadata' is longer than the 24 characters a mapped type may have$
// rule: G3
// topic: schemas
// The name of a mapped type has at most 24 characters.
import topbit.core;

struct image {
  int width;
};

#ifndef FIXED
template <>
struct topbit::schema_type<"ImageWithAlphaAndMetadata"> {
  using value = image;
  using argument = const image&;
};
inline constexpr topbit::op<"toy::width(ImageWithAlphaAndMetadata x) -> int"> width;
#else
template <>
struct topbit::schema_type<"RichImage"> {
  using value = image;
  using argument = const image&;
};
inline constexpr topbit::op<"toy::width(RichImage x) -> int"> width;
#endif
