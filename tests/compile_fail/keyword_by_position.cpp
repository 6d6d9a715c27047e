// expect: error: no matching function for call to object of type 'const topbit::op<.*>'
// What stands behind the '*' of a schema is given by name.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, *, float by=2, float offset=0) -> float"> scale;

double result = scale(1.0, 3.0);
