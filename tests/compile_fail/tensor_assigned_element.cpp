// expect: error: static assertion failed: an assignment to a temporary changes no element: write assign\(x, value, i\)$
// topic: functions
// x[i] is a view; assigning to the view changes no element of x.
import topbit;

#ifndef FIXED
void set(const topbit::tensor& x, const topbit::tensor& row) { x[0] = row; }
#else
void set(const topbit::tensor& x, const topbit::tensor& row) { topbit::assign(x, row, 0); }
#endif
