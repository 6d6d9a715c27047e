// expect: error: static assertion failed: schema 'toy::two words', column 10: expected '\(' or the end$
// topic: schemas
// An operator's name is letters, digits and '_', however the operator is declared.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::two words", int(int)> words;
#else
inline constexpr topbit::op<"toy::two_words", int(int)> words;
#endif
