// expect: error: static assertion failed: toy::pad, argument 2 'mode': the default 'Edge' has no C\+\+ value; pass it, or specialise topbit::schema_default for the argument's type$
// topic: defaults
// A default is read as what its argument is, and never as something that merely looks like it.
import topbit.core;

#ifndef MENDED
inline constexpr topbit::op<"toy::pad(float x, int mode=Edge) -> float"> pad;
#else
inline constexpr topbit::op<"toy::pad(float x, int mode=1) -> float"> pad;
#endif

double leave_it_out() { return pad(1.0); }
