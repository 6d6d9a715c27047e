// Order-preserving unsigned keys of the elements of a row, and items: a key above its position in the row.
//
// Keys of equal elements are equal: both zeros have one key, and so do all NaNs, above every number. Items of a row
// are unique, so any correct algorithm sorts them stably.
#pragma once

#include <type_traits>

#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

__extension__ typedef unsigned __int128 wide_item;  // 64 bits of key and of position
using packed_item = uint64_t;                       // 32 bits of each
using bare_item = uint32_t;                         // a key alone

constexpr int64_t most_packed = int64_t(1) << 32;  // elements whose positions fit a packed item

template <typename Item>
constexpr int position_bits = sizeof(Item) == 16  ? 64
                              : sizeof(Item) == 8 ? 32
                                                  : 0;
template <typename Item>
using item_key = std::conditional_t<sizeof(Item) == 16, uint64_t, uint32_t>;

template <typename Item>
item_key<Item> key_in(Item item) {
  return item_key<Item>(item >> position_bits<Item>);
}
template <typename Item>
int64_t position_in(Item item) {
  return int64_t(item & ((Item(1) << position_bits<Item>)-1));
}
template <typename Item>
Item item_of(uint64_t key, int64_t position) {
  if constexpr (position_bits<Item> == 0) return Item(key);
  return Item(key) << position_bits<Item> | Item(position);
}

template <typename T>
using key_type = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
key_type<T> key_of(T x) {
  using K = key_type<T>;
  constexpr K sign = K(1) << (8 * sizeof(K) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    K bits;
    __builtin_memcpy(&bits, &x, sizeof(T));
    if (x == 0) bits = 0;
    const K key = (bits & sign) != 0 ? ~bits : bits | sign;
    return x == x ? key : ~K(0);
  } else if constexpr (std::is_signed_v<T>) {
    return K(x) ^ sign;
  } else {
    return x;
  }
}
// The inverse, except for negative zeros and NaNs.
template <typename T>
T element_of(key_type<T> key) {
  using K = key_type<T>;
  constexpr K sign = K(1) << (8 * sizeof(K) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    const K bits = (key & sign) != 0 ? key ^ sign : ~key;
    T x;
    __builtin_memcpy(&x, &bits, sizeof(T));
    return x;
  } else if constexpr (std::is_signed_v<T>) {
    return T(key ^ sign);
  } else {
    return T(key);
  }
}

// The elements of a row as keys; `flip` is all ones for descending order, else 0.
template <typename T>
struct keys_of_row {
  using K = key_type<T>;
  const T* in;
  int64_t count;
  K flip;

  K operator[](int64_t i) const { return K(key_of(in[i]) ^ flip); }
};

template <typename K>
struct key_range {
  K low, high;
  uint64_t size() const { return uint64_t(high - low); }
  void join(const key_range& other) {
    low = other.low < low ? other.low : low;
    high = other.high > high ? other.high : high;
  }
};

template <typename T>
key_range<key_type<T>> range_of(const keys_of_row<T>& keys, int64_t first, int64_t last) {
  using K = key_type<T>;
  K low = ~K(0), high = 0;
  for (int64_t i = first; i < last; ++i) {
    const K key = keys[i];
    low = key < low ? key : low;
    high = key > high ? key : high;
  }
  return {low, high};
}

// The number of bits of x; 0 for 0.
inline int bits_of(uint64_t x) { return x == 0 ? 0 : 64 - __builtin_clzll(x); }

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
