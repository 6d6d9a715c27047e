// expect: error: static assertion failed: schema 'toy::show\(int x\)', column 17: expected '->'$
// rule: G1
// topic: schemas
// A schema says what comes out, also where that is nothing.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::show(int x)"> show;
#else
inline constexpr topbit::op<"toy::show(int x) -> ()"> show;
#endif
