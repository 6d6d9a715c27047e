// expect: error: static assertion failed: img::copy, result: found 'image&', the type of no argument; a result by reference is one of the arguments, returned$
// topic: types
// A result by reference is one of the arguments, returned.
import topbit.core;

struct image {
  int width;
};

#ifndef FIXED
inline constexpr topbit::op<"img::copy", image&(const image&)> copy;
#else
inline constexpr topbit::op<"img::copy", image&(const image&, image&)> copy;
#endif
constexpr auto name = decltype(copy)::name();
