// expect: error: static assertion failed: toy::accumulate, argument 1 'sum': found 'int', wanted 'double&', a variable of that type to write to$
// topic: calls
// What an operator writes to has the very type of the argument.
import topbit.core;

inline constexpr topbit::op<"toy::accumulate(float(a!) sum, float x) -> ()"> accumulate;

#ifndef MENDED
int sum = 0;
#else
double sum = 0.0;
#endif

void run() { accumulate(sum, 1.0); }
