// expect: error: static assertion failed: schema 'toy::twice\.default', column 12: expected an overload name other than 'default'$
// rule: R22
// topic: schemas
// A name that comes with a C++ signature is held to the rules of a schema's.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::twice.default", int(int)> twice;
#else
inline constexpr topbit::op<"toy::twice.of_int", int(int)> twice;
#endif
