// expect: error: static assertion failed: no operator aten::add takes these arguments: aten::add\.Tensor, argument 3 'alpha': given by position, but it is keyword-only; write arg<"alpha"> = \.\.\.; aten::add\.out, argument 3 'alpha': given by position, but it is keyword-only; write arg<"alpha"> = \.\.\.; aten::add\.Scalar, argument 2 'other': found 'const tensor', wanted 'const scalar&'$
// topic: functions
// Keyword-only arguments, such as out, are given by name.
import topbit;

#ifndef FIXED
void add_to(const topbit::tensor& x, topbit::tensor& out) { topbit::add(x, x, out); }
#else
void add_to(const topbit::tensor& x, topbit::tensor& out) { topbit::add(x, x, topbit::arg<"out"> = out); }
#endif
