// expect: error: non-constant-expression cannot be narrowed from type 'size_type' \(aka 'unsigned long'\) to 'long' in initializer list \[-Wc\+\+11-narrowing\]$
// topic: functions
// A list in braces takes std::int64_t, and nothing that it may not hold.
#include <cstdint>
#include <vector>
import topbit;

#ifndef FIXED
topbit::tensor row(const std::vector<float>& v) { return topbit::zeros({v.size()}); }
#else
topbit::tensor row(const std::vector<float>& v) { return topbit::zeros({static_cast<std::int64_t>(v.size())}); }
#endif
