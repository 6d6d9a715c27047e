// expect: error: static assertion failed: toy::accumulate, argument 1 'sum': found 'const double', wanted 'double&', which is written to and must be a variable$
// topic: calls
// What an operator writes to is not const.
import topbit.core;

inline constexpr topbit::op<"toy::accumulate(float(a!) sum, float x) -> ()"> accumulate;

#ifndef FIXED
const double sum = 0.0;
#else
double sum = 0.0;
#endif

void run() { accumulate(sum, 1.0); }
