// expect: error: static assertion failed: toy::twice: found only a name, wanted a schema, op<"toy::twice\(int x\) -> int">, or the name and a C\+\+ signature, op<"toy::twice", std::int64_t\(std::int64_t\)>$
// topic: schemas
// An operator has types: those of its schema, or a C++ signature beside its name.
import topbit.core;

#ifndef FIXED
inline constexpr topbit::op<"toy::twice"> twice;
#else
inline constexpr topbit::op<"toy::twice(int x) -> int"> twice;
#endif
constexpr auto name = decltype(twice)::name();
