// What every call of bench_dispatch computes: the sum of two words, read through the arguments. The work is next to
// nothing, so that the time is the call. Import topbit.core before this file.
#pragma once

namespace problem {

struct record {
  topbit::key_set keys;
  int x;
};

// Like a tensor: a pointer to a record whose first word is the key set.
struct item {
  const record* r;
};
inline topbit::key_set keys_of(const item& i) noexcept { return i.r->keys; }

inline int sum(const item& a, const item& b) { return a.r->x + b.r->x; }
inline constexpr int a_value = 3, b_value = 4, expected = 7;

// The same function in another unit, where a thunk cannot inline it.
int sum_elsewhere(const item& a, const item& b);

}  // namespace problem
