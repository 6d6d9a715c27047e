// expect: error: static assertion failed: toy::blur: has no argument 'sigme'; the nearest name is 'sigma'$
// topic: calls
// A keyword that no argument has is answered with the nearest name.
import topbit.core;

inline constexpr topbit::op<"toy::blur(float x, float sigma, float size=3) -> float"> blur;

#ifndef FIXED
double result = blur(1.0, topbit::arg<"sigme"> = 3.0);
#else
double result = blur(1.0, topbit::arg<"sigma"> = 3.0);
#endif
