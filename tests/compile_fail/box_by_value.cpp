// expect: error: static assertion failed: toy::look, argument 1: found 'sole', wanted 'const T&', since it has no copy constructor$
// rule: B7
// topic: types
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

#ifndef FIXED
inline constexpr topbit::op<"toy::look", void(sole)> look;

void call(sole x) { look(static_cast<sole&&>(x)); }
#else
inline constexpr topbit::op<"toy::look", void(const sole&)> look;

void call(const sole& x) { look(x); }
#endif
