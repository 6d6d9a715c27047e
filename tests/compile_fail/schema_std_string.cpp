// expect: error: static assertion failed: schema 'toy::length\(std::string text\) -> int', column 13: expected 'str', the schema's name of a string$
// rule: G3
// topic: schemas
// A text is a str, which a kernel takes as a std::string_view.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::length(std::string text) -> int"> length;
#else
inline constexpr topbit::op<"toy::length(str text) -> int"> length;
#endif
