// expect: error: static assertion failed: schema 'toy::twice\.default', column 12: expected an overload name other than 'default'$
// rule: R22
// A name that comes with a C++ signature is held to the rules of a schema's.
import topbit.core;

inline constexpr topbit::op<"toy::twice.default", int(int)> twice;
