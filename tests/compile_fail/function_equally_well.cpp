// expect: error: static assertion failed: toy::pad: these operators take the arguments equally well: toy::pad\.left, toy::pad\.right; call the one you mean by its handle$
// topic: functions
// Two operators that take the arguments equally well: neither is called.
#include <cstdint>
import topbit.core;

inline constexpr topbit::op<"toy::pad.left(float x, int n) -> float"> pad_left;
inline constexpr topbit::op<"toy::pad.right(float x, int n) -> float"> pad_right;
inline constexpr topbit::overloads<pad_left, pad_right> pad;

#ifndef FIXED
double padded = pad(1.0, 2);
#else
double padded = pad_left(1.0, 2);
#endif
