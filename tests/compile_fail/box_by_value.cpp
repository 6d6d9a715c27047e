// expect: error: static assertion failed: toy::read, argument 1: found 'sole', wanted 'const T&', since it has no copy constructor$
// rule: B7
// A kernel that takes its argument by value gets a copy of what is in the box.
#include <memory>

import topbit.core;

struct sole {
  std::unique_ptr<int> number;
};
template <>
struct topbit::boxed_type<sole> {
  static sole copy(const sole& x) { return {std::make_unique<int>(*x.number)}; }
};

inline constexpr topbit::op<"toy::read", void(sole)> read;

void call(sole x) { read(static_cast<sole&&>(x)); }
