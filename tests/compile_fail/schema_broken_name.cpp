// expect: error: static assertion failed: schema 'toy :: scale\(float x\) -> float': found white space or a comment inside the operator's name, wanted none$
// rule: G4
// topic: schemas
// White space is free in a schema, but the name of an operator is one word for everybody who looks it up.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy :: scale(float x) -> float"> scale;
#else
inline constexpr topbit::op<"toy::scale(float x) -> float"> scale;
#endif

double scaled(double x) { return scale(x); }
