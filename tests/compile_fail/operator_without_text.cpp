// expect: error: static assertion failed: schema '', column 1: expected an operator name$
// topic: schemas
// An operator has a name, by which everybody finds it.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<""> nothing;
#else
inline constexpr topbit::op<"toy::nothing() -> ()"> nothing;
#endif
constexpr auto name = decltype(nothing)::name();
