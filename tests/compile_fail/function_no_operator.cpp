// expect: error: static assertion failed: no operator aten::split takes these arguments: aten::split\.Tensor, argument 2 'split_size': found 'const char\[2\]', wanted 'int64_t'; aten::split\.sizes, argument 2 'split_size': found 'const char\[2\]', wanted 'std::span<const int64_t>'$
// topic: functions
// A call that no operator of a function takes: the message says for each operator why.
#include <vector>
import topbit;

#ifndef FIXED
std::vector<topbit::tensor> parts(const topbit::tensor& x) { return topbit::split(x, "2"); }
#else
std::vector<topbit::tensor> parts(const topbit::tensor& x) { return topbit::split(x, 2); }
#endif
