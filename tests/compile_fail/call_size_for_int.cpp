// expect: error: static assertion failed: toy::twice, argument 1 'n': 'int64_t' does not hold every 'unsigned long'; convert it with static_cast$
// topic: calls
// Half of the values of a std::size_t are no std::int64_t.
#include <cstdint>
#include <string>
import topbit.core;

inline constexpr topbit::op<"toy::twice(int n) -> int"> twice;

const std::string text = "topbit";

#ifndef FIXED
const std::int64_t result = twice(text.size());
#else
const std::int64_t result = twice(static_cast<std::int64_t>(text.size()));
#endif
