// expect: error: static assertion failed: schema 'toy::twice\(int64_t n\) -> int64_t', column 12: expected 'int', the schema's name of an int64_t$
// rule: G3
// topic: schemas
// The int of a schema has 64 bits.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::twice(int64_t n) -> int64_t"> twice;
#else
inline constexpr topbit::op<"toy::twice(int n) -> int"> twice;
#endif
