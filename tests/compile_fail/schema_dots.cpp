// expect: error: static assertion failed: schema 'toy::join\(str first, \.\.\.\) -> str': '\.\.\.' has no C\+\+ type; a typed operator has a fixed number of arguments and results$
// rule: G3
// topic: schemas
// A typed operator has as many arguments as its kernels; a list takes any number of values.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::join(str first, ...) -> str"> join;
#else
inline constexpr topbit::op<"toy::join(str[] parts) -> str"> join;
#endif
