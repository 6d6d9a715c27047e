// expect: error: static assertion failed: toy::pad, argument 2 'mode': the default 'edge' has no C\+\+ value; pass it, or specialise topbit::author::schema_default for the argument's type$
// topic: defaults
// A default the library cannot turn into a C++ value is asked for where it is left out.
import topbit.core;

struct padding {
  int kind;
};
template <>
struct topbit::schema_type<"Padding"> {
  using value = padding;
  using argument = padding;
};

inline constexpr topbit::op<"toy::pad(int x, Padding mode=edge) -> int"> pad;

#ifndef FIXED
int leave_it_out() { return static_cast<int>(pad(1)); }
#else
int leave_it_out() { return static_cast<int>(pad(1, padding{0})); }
#endif
