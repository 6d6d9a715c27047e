// expect: error: static assertion failed: no operator aten::max takes these arguments: aten::max: found 2 arguments, wanted at most 1; aten::max\.unary_out, argument 2 'out': given by position, but it is keyword-only; write arg<"out"> = \.\.\.; aten::max\.dim: has no argument 'keepdims'; the nearest name is 'keepdim'; aten::max\.dim_max: has no argument 'keepdims'; the nearest name is 'keepdim'; aten::max\.other: has no argument 'keepdims'; aten::max\.out: has no argument 'keepdims'$
// topic: functions
// A misspelt keyword argument of a function.
#include <tuple>
import topbit;

#ifndef FIXED
auto greatest(const topbit::tensor& x) { return topbit::max(x, 1, topbit::arg<"keepdims"> = true); }
#else
auto greatest(const topbit::tensor& x) { return topbit::max(x, 1, topbit::arg<"keepdim"> = true); }
#endif
