// expect: error: static assertion failed: schema 'toy::scale\(float x, float by=1e\) -> float', column 32: expected a digit$
// rule: G1
// Half a number is no number.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, float by=1e) -> float"> scale;
