// expect: error: static assertion failed: schema 'toy::total\(Dict\(str, int\) counts\) -> int', column 12: 'Dict\(str, int\)' has no C\+\+ type; give the operator a name and a C\+\+ signature instead$
// rule: G3
// topic: schemas
// A type made of other types has no C++ type of its own; a C++ signature says which is meant.
#include <cstdint>
#include <map>
#include <string>
import topbit.core;

struct word_counts {
  std::map<std::string, std::int64_t> of;
};

#ifndef FIXED
inline constexpr topbit::op<"toy::total(Dict(str, int) counts) -> int"> total;
#else
inline constexpr topbit::op<"toy::total", std::int64_t(const word_counts&)> total;
#endif
