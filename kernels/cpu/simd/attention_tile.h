// Attention for a tile of queries with online softmax: keys are processed in tiles, and the sums so far are rescaled
// when a greater score occurs.
#pragma once

#include "softmax_loops.h"
#include "tile_product.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t tile_queries = 48, tile_keys = 128;

template <typename T>
constexpr int64_t padded(int64_t n) {
  constexpr int64_t width = vec<T>::size;
  return (n + width - 1) / width * width;
}

// The scratch memory of a tile, divided into its arrays.
template <typename T>
struct attention_room {
  T *query, *key, *value, *scores, *sums, *tops;
  double* totals;

  static int64_t elements(const tb_attention& a) {
    return tile_queries * a.width + a.width * tile_keys + (tile_keys + tile_queries) * padded<T>(a.value_width) +
           tile_queries * tile_keys + tile_queries;
  }
  static int64_t bytes(const tb_attention& a) {
    return tile_queries * int64_t(sizeof(double)) + elements(a) * int64_t(sizeof(T));
  }
  attention_room(const tb_attention& a, void* memory) : totals(static_cast<double*>(memory)) {
    T* next = reinterpret_cast<T*>(totals + tile_queries);
    const auto take = [&](int64_t count) {
      T* const here = next;
      next += count;
      return here;
    };
    scores = take(tile_queries * tile_keys);
    key = take(a.width * tile_keys);
    value = take(tile_keys * padded<T>(a.value_width));
    sums = take(tile_queries * padded<T>(a.value_width));
    query = take(tile_queries * a.width);
    tops = take(tile_queries);
  }
};

// Transposes keys into columns, zero-padded.
template <typename T>
void pack_keys(const T* key, const tb_attention& a, int64_t keys, T* out) {
  constexpr int64_t block = 16;
  const int64_t room = padded<T>(keys);
  for (int64_t first = 0; first < room; first += block) {
    const int64_t some = keys - first < block ? keys - first : block;
    for (int64_t k = 0; k < a.width; ++k) {
      for (int64_t i = 0; i < some; ++i) out[k * tile_keys + first + i] = key[(first + i) * a.key.row + k * a.key.col];
      for (int64_t i = some < 0 ? 0 : some; i < block && first + i < room; ++i) out[k * tile_keys + first + i] = T(0);
    }
  }
}

template <typename T>
void pack_values(const T* value, const tb_attention& a, int64_t keys, T* out) {
  const int64_t room = padded<T>(a.value_width);
  for (int64_t i = 0; i < keys; ++i) {
    const T* const from = value + i * a.value.row;
    for (int64_t c = 0; c < a.value_width; ++c) out[i * room + c] = from[c * a.value.col];
    for (int64_t c = a.value_width; c < room; ++c) out[i * room + c] = T(0);
  }
}

// Adds a floating-point mask to a row of scores, or sets scores to -infinity where a BOOL mask is 0.
template <typename T>
void mask_row(T* scores, const tb_attention& a, const void* mask, int64_t keys) {
  if (a.mask_dtype == TB_BOOL) {
    const uint8_t* const kept = static_cast<const uint8_t*>(mask);
    for (int64_t i = 0; i < keys; ++i) scores[i] = kept[i * a.mask.col] != 0 ? scores[i] : lowest<T>;
  } else {
    const T* const added = static_cast<const T*>(mask);
    for (int64_t i = 0; i < keys; ++i) scores[i] += added[i * a.mask.col];
  }
}

// Replaces the scores of a query by exp(score - maximum) and rescales its previous sums to the new maximum.
template <typename T>
void weigh_row(T* scores, int64_t keys, attention_room<T>& room, int64_t q, int64_t value_room) {
  if (keys == 0) return;
  const T before = room.tops[q], here = first_lane(greatest_of(scores, keys)), top = here > before ? here : before;
  const vec<T> shift(top == lowest<T> ? T(0) : top);
  const T sum = first_lane(store_exp(scores, scores, keys, shift));
  if (top != before) {
    const vec<T> less = before == lowest<T> ? vec<T>(T(0)) : exp<T>(vec<T>(before) - shift);
    room.totals[q] *= double(first_lane(less));
    T* const sums = room.sums + q * value_room;
    for (int64_t c = 0; c < value_room; c += vec<T>::size) {
      (vec<T>::load_unaligned(sums + c) * less).store_unaligned(sums + c);
    }
    room.tops[q] = top;
  }
  room.totals[q] += double(sum);
}

// Computes the queries from `first` on, at one position of the batch. `at` has the addresses of out, query, key, value
// and mask.
template <typename T>
void attend(const tb_attention& a, char* const* at, int64_t first, void* memory) {
  attention_room<T> room(a, memory);
  const int64_t queries = a.queries - first < tile_queries ? a.queries - first : tile_queries;
  const int64_t value_room = padded<T>(a.value_width);
  const T* const query = reinterpret_cast<const T*>(at[1]) + first * a.query.row;
  const T *const key = reinterpret_cast<const T*>(at[2]), *const value = reinterpret_cast<const T*>(at[3]);
  const int64_t mask_bytes = a.mask_dtype == TB_BOOL ? 1 : int64_t(sizeof(T));
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t k = 0; k < a.width; ++k) {
      room.query[q * a.width + k] = query[q * a.query.row + k * a.query.col] * T(a.scale);
    }
    room.tops[q] = lowest<T>;
    room.totals[q] = 0;
    for (int64_t c = 0; c < value_room; ++c) room.sums[q * value_room + c] = T(0);
  }
  const int64_t end = a.causal != 0 && first + queries < a.keys ? first + queries : a.keys;
  for (int64_t k = 0; k < end; k += tile_keys) {
    const int64_t keys = end - k < tile_keys ? end - k : tile_keys;
    pack_keys(key + k * a.key.row, a, keys, room.key);
    pack_values(value + k * a.value.row, a, keys, room.value);
    tile_product<T>({room.query, room.key, room.scores, a.width, tile_keys, tile_keys}, queries,
                    padded<T>(keys) / int64_t(vec<T>::size), a.width, false);
    for (int64_t q = 0; q < queries; ++q) {
      T* const scores = room.scores + q * tile_keys;
      const int64_t seen = a.causal == 0 || first + q + 1 - k > keys ? keys : first + q + 1 - k;
      if (at[4] != nullptr) mask_row(scores, a, at[4] + ((first + q) * a.mask.row + k * a.mask.col) * mask_bytes, keys);
      weigh_row(scores, seen < 0 ? 0 : seen, room, q, value_room);
      for (int64_t i = seen < 0 ? 0 : seen; i < keys; ++i) scores[i] = T(0);
    }
    tile_product<T>({room.scores, room.value, room.sums, tile_keys, value_room, value_room}, queries,
                    value_room / int64_t(vec<T>::size), keys, true);
  }
  T* const out = reinterpret_cast<T*>(at[0]) + first * a.out.row;
  for (int64_t q = 0; q < queries; ++q) {
    const bool blind = room.totals[q] == 0 && (at[4] != nullptr || a.keys == 0);
    const T scale = blind ? T(0) : T(1 / room.totals[q]);
    const T* const sums = room.sums + q * value_room;
    for (int64_t c = 0; c < a.value_width; ++c) out[q * a.out.row + c * a.out.col] = sums[c] * scale;
  }
}

template <typename T>
int64_t attention_bytes(const tb_attention& a) {
  return attention_room<T>::bytes(a);
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
