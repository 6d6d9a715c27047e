// expect: error: static assertion failed: schema 'toy::twice\.__of_int\(int x\) -> int', column 12: expected an overload name that does not begin with '__'$
// rule: R22
// An overload has a name that every language can have for it.
import topbit.core;

inline constexpr topbit::op<"toy::twice.__of_int(int x) -> int"> twice;
