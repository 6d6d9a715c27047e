// expect: error: static assertion failed: toy::accumulate, argument 1 'sum': found 'double', wanted 'double&', which is written to and must be a variable$
// topic: calls
// What an operator writes to is a variable.
import topbit.core;

inline constexpr topbit::op<"toy::accumulate(float(a!) sum, float x) -> ()"> accumulate;

#ifndef FIXED
void run() { accumulate(0.0, 1.0); }
#else
void run() {
  double sum = 0.0;
  accumulate(sum, 1.0);
}
#endif
