// expect: error: static assertion failed: schema 'toy::twice\.__of_int\(int x\) -> int', column 12: expected an overload name that does not begin with '__'$
// rule: R22
// topic: schemas
// An overload has a name that every language can have for it.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::twice.__of_int(int x) -> int"> twice;
#else
inline constexpr topbit::op<"toy::twice.of_int(int x) -> int"> twice;
#endif
