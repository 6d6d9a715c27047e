// expect: error: static assertion failed: toy::pad, argument 2 'mode': the default 'Edge' has no C\+\+ value; pass it, or specialise topbit::author::schema_default for the argument's type$
// topic: defaults
// A default is one of those that its type accepts.
#include <string_view>
import topbit.core;

enum class padding { edge, zero };
template <>
struct topbit::schema_type<"Padding"> {
  using value = padding;
  using argument = padding;
};
template <>
struct topbit::author::schema_default<padding> {
  static constexpr bool accepts(std::string_view text) { return text == "edge" || text == "zero"; }
  static constexpr padding from(std::string_view text) { return text == "edge" ? padding::edge : padding::zero; }
};

#ifndef FIXED
inline constexpr topbit::op<"toy::pad(float x, Padding mode=Edge) -> float"> pad;
#else
inline constexpr topbit::op<"toy::pad(float x, Padding mode=edge) -> float"> pad;
#endif

double leave_it_out() { return pad(1.0); }
