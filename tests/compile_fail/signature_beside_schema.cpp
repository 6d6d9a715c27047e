// expect: error: static assertion failed: schema 'toy::g\(int a\) -> int' stands for 'int64_t \(int64_t\)', found beside it 'int \(double\)'; leave the signature out, or give only a name$
// topic: schemas
// A schema says what the C++ types are; a second opinion is a mistake.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::g(int a) -> int", int(double)> g;
#else
inline constexpr topbit::op<"toy::g(int a) -> int"> g;
#endif
constexpr auto name = decltype(g)::name();
