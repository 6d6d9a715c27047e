// expect: error: static assertion failed: no operator aten::zeros takes these arguments: aten::zeros, argument 2 'dtype': given by position, but it is keyword-only; write arg<"dtype"> = \.\.\.; aten::zeros\.out, argument 2 'out': given by position, but it is keyword-only; write arg<"out"> = \.\.\.$
// topic: functions
// A keyword-only argument by position, beside a list in braces.
import topbit;

#ifndef FIXED
auto x = topbit::zeros({2, 3}, topbit::dtype::float64);
#else
auto x = topbit::zeros({2, 3}, topbit::arg<"dtype"> = topbit::dtype::float64);
#endif
