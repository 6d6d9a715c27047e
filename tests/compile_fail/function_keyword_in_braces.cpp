// expect: error: static assertion failed: no operator aten::zeros takes these arguments: aten::zeros: has no argument 'dtyp'; the nearest name is 'dtype'; aten::zeros\.out: has no argument 'dtyp'$
// topic: functions
// The same where a list is in braces.
import topbit;

#ifndef FIXED
topbit::tensor zeros() { return topbit::zeros({2, 3}, topbit::arg<"dtyp"> = topbit::dtype::float64); }
#else
topbit::tensor zeros() { return topbit::zeros({2, 3}, topbit::arg<"dtype"> = topbit::dtype::float64); }
#endif
