// expect: error: static assertion failed: toy::width, argument 1: keys_of\(const image&\) may throw, wanted 'key_set keys_of\(const image&\) noexcept', since every call runs it$
// rule: X1
// topic: schemas
// keys_of runs on every call, so it is noexcept. Without that word it would not be found, and calls would have no key.
#include <cstdint>
import topbit.core;

struct image {
  topbit::key_set keys;
  int width;
};
#ifndef FIXED
constexpr topbit::key_set keys_of(const image& i) { return i.keys; }
#else
constexpr topbit::key_set keys_of(const image& i) noexcept { return i.keys; }
#endif

inline constexpr topbit::op<"toy::width", int(const image&)> width;
