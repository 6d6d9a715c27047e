// expect: error: type 'operator_handle' does not provide a call operator$
// topic: calls
// A handle found by name is told its signature before it is called.
import topbit.core;

inline constexpr topbit::op<"toy::scale(float x, *, float by=2, float offset=0) -> float"> scale;

#ifndef FIXED
const double result = topbit::find("toy::scale")(1.0);
#else
const double result = topbit::find("toy::scale").typed<double(double, double, double)>()(1.0, 2.0, 0.0);
#endif
