// A stable sort of few keys, by counting the smaller ones of each.
#pragma once

#include <stdint.h>

#include "rowwise/sort_keys.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t most_ranked = 64;  // keys that are sorted in quadratic time

// rank[i]: the position of keys[i] after a stable sort. Both have most_ranked elements; unused keys may have any value.
// One key at a time is compared with a vector of keys.
template <typename K>
void rank_few(const K* keys, int64_t count, K* rank) {
  using keys_at_once [[gnu::vector_size(64)]] = K;
  constexpr int64_t lanes = 64 / sizeof(K);
  keys_at_once lane;
  for (int64_t l = 0; l < lanes; ++l) lane[l] = K(l);
  for (int64_t first = 0; first < count; first += lanes) {
    const int64_t last = first + lanes < count ? first + lanes : count;
    keys_at_once x, before = {};
    __builtin_memcpy(&x, keys + first, sizeof(x));
    for (int64_t j = 0; j < first; ++j) before -= keys_at_once(keys[j] <= x);
    for (int64_t j = first; j < last; ++j) {
      before -= keys_at_once((keys[j] < x) | ((keys[j] == x) & (K(j - first) < lane)));
    }
    for (int64_t j = last; j < count; ++j) before -= keys_at_once(keys[j] < x);
    __builtin_memcpy(rank + first, &before, sizeof(before));
  }
}

// The elements of a row of at most most_ranked, which the result may overwrite, and their ranks.
template <typename T>
struct ranked_row {
  T in[most_ranked];
  key_type<T> rank[most_ranked];

  explicit ranked_row(const keys_of_row<T>& keys) {
    key_type<T> key[most_ranked] = {};
    for (int64_t i = 0; i < keys.count; ++i) {
      in[i] = keys.in[i];
      key[i] = keys[i];
    }
    rank_few(key, keys.count, rank);
  }
};

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
