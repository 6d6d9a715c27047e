// expect: error: static assertion failed: schema 'toy::twice\(int x, float\) -> int', column 24: expected an argument name$
// rule: G1
// topic: schemas
// A mistake in a schema is a column, counted from 1, and what was expected there.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::twice(int x, float) -> int"> twice;
#else
inline constexpr topbit::op<"toy::twice(int x, float by) -> int"> twice;
#endif
