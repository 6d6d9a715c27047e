// expect: error: static assertion failed: aten::index_put_, argument 3 'values': missing, and it has no default$
// topic: functions
// An argument that is missing beside a list in braces.
#include <optional>
import topbit;

#ifndef FIXED
void put(topbit::tensor& x, const topbit::tensor& i) { topbit::index_put_(x, {i}); }
#else
void put(topbit::tensor& x, const topbit::tensor& i, const topbit::tensor& v) { topbit::index_put_(x, {i}, v); }
#endif
