// expect: error: static assertion failed: schema 'toy::scale\(double x\) -> double', column 12: expected 'float', the schema's name of a double$
// rule: G3
// topic: schemas
// A schema has words of its own for types; a C++ double is its float.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::scale(double x) -> double"> scale;
#else
inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;
#endif
