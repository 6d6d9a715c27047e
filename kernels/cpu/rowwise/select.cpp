// Selection by rank from a row: the least elements in order, the k-th one, the median. Of equal elements the first
// comes first; a NaN compares above every number. Takes linear time for any row: digits of keys are counted from the
// highest on, and only items with the digit of the wanted rank are kept.
#include "is_nan.h"
#include "layout.h"
#include "rowwise/radix_sort.h"
#include "rowwise/rank_few.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::is_nan;

constexpr int64_t few = 32;  // items that insertion sort orders

// The digits of one round of selection: the highest bits of values up to `size`, few if there are few values.
struct digits {
  int shift;
  int64_t count;

  digits(uint64_t size, int64_t values) {
    constexpr int least_bits = 4;
    const int bits = bits_of(size), wanted = bits_of(uint64_t(values)) - 1;
    const int most = wanted < least_bits ? least_bits : wanted < most_digit_bits ? wanted : most_digit_bits;
    shift = bits > most ? bits - most : 0;
    count = int64_t(1) << (bits < most ? bits : most);
  }
};

// The digit of the value of rank k; k becomes its rank among the values with that digit.
template <typename Digit>
int64_t digit_of_rank(int64_t count, int64_t digit_count, int64_t& k, Digit digit) {
  // Digits are computed in blocks, and counted in two sets, so that equal digits in a row do not wait for each other.
  constexpr int64_t block = 256;
  uint32_t here[block];
  int64_t counts[2][most_digits];
  for (int64_t d = 0; d < digit_count; ++d) counts[0][d] = counts[1][d] = 0;
  for (int64_t first = 0; first < count; first += block) {
    const int64_t some = count - first < block ? count - first : block;
    for (int64_t i = 0; i < some; ++i) here[i] = digit(first + i);
    int64_t i = 0;
    for (; i + 2 <= some; i += 2) {
      ++counts[0][here[i]];
      ++counts[1][here[i + 1]];
    }
    if (i < some) ++counts[0][here[i]];
  }
  for (int64_t d = 0;; ++d) {
    const int64_t found = counts[0][d] + counts[1][d];
    if (k < found) return d;
    k -= found;
  }
}

// The item of rank k of unique items, which are overwritten.
template <typename Item>
Item item_of_rank(Item* items, int64_t count, int64_t k) {
  while (count > few) {
    Item low = items[0], high = items[0];
    for (int64_t i = 1; i < count; ++i) {
      low = items[i] < low ? items[i] : low;
      high = items[i] > high ? items[i] : high;
    }
    // The highest 64 bits that differ.
    const Item size = high - low;
    int cut = 0;
    if constexpr (sizeof(Item) == 16) cut = bits_of(uint64_t(size >> 64));
    const digits by(uint64_t(size >> cut), count);
    const auto digit = [=](int64_t i) { return uint32_t(uint64_t((items[i] - low) >> cut) >> by.shift); };
    const int64_t wanted = digit_of_rank(count, by.count, k, digit);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
      const bool keep = int64_t(digit(i)) == wanted;
      items[kept] = items[i];
      kept += keep ? 1 : 0;
    }
    count = kept;
  }
  insertion_sort(items, count);
  return items[k];
}

// The item of rank k of a row. Keys have range.low subtracted.
template <typename Item, typename T>
Item item_of_rank(void* work, const keys_of_row<T>& keys, const key_range<key_type<T>>& range, int64_t k) {
  Item* const items = static_cast<Item*>(work);
  const digits by(range.size(), keys.count);
  const auto digit = [=](int64_t i) { return uint32_t((keys[i] - range.low) >> by.shift); };
  const int64_t wanted = digit_of_rank(keys.count, by.count, k, digit);
  int64_t kept = 0;
  for (int64_t i = 0; i < keys.count; ++i) {
    const auto key = keys[i] - range.low;
    items[kept] = item_of<Item>(key, i);
    kept += int64_t(key >> by.shift) == wanted ? 1 : 0;
  }
  return by.shift == 0 ? items[k] : item_of_rank(items, kept, k);
}

template <typename T>
bool fits_packed(const keys_of_row<T>& keys, const key_range<key_type<T>>& range) {
  return range.size() >> 32 == 0 && keys.count <= most_packed;
}

template <typename T>
void write(const rows_at& r, int64_t at, T value, int64_t index) {
  r.as<T>(0)[at] = value;
  if (r.row[1] != nullptr) r.as<int64_t>(1)[at] = index;
}

// Elements that may be among the k least of a row, in order of position.
template <typename K>
struct candidates {
  K* key;
  int64_t* position;
  int64_t held = 0;
};

// Adds the elements of a row that are less than the k-th least so far, which `shrink` returns after it has removed all
// others from `room` candidates: its equals come too late to be among the k least.
template <typename T, typename Shrink>
void add_candidates(const keys_of_row<T>& keys, int64_t room, candidates<key_type<T>>& of, Shrink shrink) {
  using K = key_type<T>;
  constexpr int64_t block = 32;
  for (; of.held < room && of.held < keys.count; ++of.held) {
    of.key[of.held] = keys[of.held];
    of.position[of.held] = of.held;
  }
  int64_t first = of.held;
  K limit = shrink();
  int64_t kept = of.held;
  for (; first < keys.count; first += block) {
    const int64_t some = keys.count - first < block ? keys.count - first : block;
    K key[block] = {}, less = 0;
    for (int64_t i = 0; i < some; ++i) key[i] = keys[first + i];
    for (int64_t i = 0; i < block; ++i) less |= K(key[i] < limit);
    if (less == 0) continue;
    if (room - of.held < block) {
      limit = shrink();
      kept = of.held;
    }
    for (int64_t i = 0; i < some; ++i) {
      of.key[of.held] = key[i];
      of.position[of.held] = first + i;
      of.held += key[i] < limit ? 1 : 0;
    }
  }
  if (of.held > kept) shrink();
}

// The k least of few candidates, in order.
template <typename K>
K keep_few(candidates<K>& of, int64_t k) {
  K key[most_ranked] = {}, rank[most_ranked];
  int64_t position[most_ranked];
  for (int64_t i = 0; i < of.held; ++i) key[i] = of.key[i], position[i] = of.position[i];
  rank_few(key, of.held, rank);
  for (int64_t i = 0; i < of.held; ++i) {
    of.key[rank[i]] = key[i];
    of.position[rank[i]] = position[i];
  }
  of.held = of.held < k ? of.held : k;
  return of.key[of.held - 1];
}

// The k least candidates, in order of position.
template <typename Item, typename K>
K keep_least(candidates<K>& of, int64_t k, Item* items) {
  for (int64_t i = 0; i < of.held; ++i) items[i] = item_of<Item>(of.key[i], i);
  const Item last = item_of_rank(items, of.held, k - 1);
  int64_t kept = 0;
  for (int64_t i = 0; kept < k; ++i) {
    of.key[kept] = of.key[i];
    of.position[kept] = of.position[i];
    kept += item_of<Item>(of.key[i], i) <= last ? 1 : 0;
  }
  of.held = k;
  return K(key_in(last));
}

template <typename Item, typename T>
void least_by_rank(const keys_of_row<T>& keys, int64_t k, const key_range<key_type<T>>& range, Item* items) {
  const Item last = item_of_rank<Item>(items, keys, range, k - 1);
  for (int64_t i = 0, kept = 0; kept < k; ++i) {
    const Item item = item_of<Item>(keys[i] - range.low, i);
    items[kept] = item;
    kept += item <= last ? 1 : 0;
  }
}

template <typename Item, typename T>
void write_in_order(const rows_at& r, const T* in, int64_t k, int bits, Item* items, Item* other) {
  int64_t counts[most_digits];
  const Item* in_order = items;
  if (k <= few) {
    insertion_sort(items, k);
  } else {
    in_order = radix_sort(items, other, k, position_bits<Item>, bits, 1, counts);
  }
  // The result may be the row.
  T* const values = reinterpret_cast<T*>(in_order == items ? other : items);
  for (int64_t i = 0; i < k; ++i) values[i] = in[position_in(in_order[i])];
  for (int64_t i = 0; i < k; ++i) write(r, i, values[i], position_in(in_order[i]));
}

template <typename Item, typename T>
void topk_items(const rows_at& r, const keys_of_row<T>& keys, const key_range<key_type<T>>& range) {
  Item* const items = static_cast<Item*>(r.work);
  least_by_rank(keys, r.length[0], range, items);
  write_in_order(r, keys.in, r.length[0], bits_of(range.size()), items, items + keys.count);
}

// The candidates of a row of at least k elements, for few k.
template <typename T>
void topk_few(const rows_at& r, const keys_of_row<T>& keys) {
  using K = key_type<T>;
  K key[most_ranked];
  int64_t position[most_ranked];
  candidates<K> of{key, position};
  add_candidates(keys, most_ranked, of, [&] { return keep_few(of, r.length[0]); });
  T values[most_ranked];  // the result may be the row
  for (int64_t i = 0; i < of.held; ++i) values[i] = keys.in[position[i]];
  for (int64_t i = 0; i < of.held; ++i) write(r, i, values[i], position[i]);
}

template <typename Item, typename T>
void topk_candidates(const rows_at& r, const keys_of_row<T>& keys, int64_t room) {
  using K = key_type<T>;
  const int64_t k = r.length[0];
  Item *const items = static_cast<Item*>(r.work), *const other = items + room;
  int64_t* const position = reinterpret_cast<int64_t*>(other + room);
  candidates<K> of{reinterpret_cast<K*>(position + room), position};
  add_candidates(keys, room, of, [&] { return keep_least(of, k, items); });
  for (int64_t i = 0; i < k; ++i) items[i] = item_of<Item>(of.key[i], of.position[i]);
  write_in_order(r, keys.in, k, 8 * int(sizeof(K)), items, other);
}

template <typename T>
void topk(const rows_at& r) {
  using K = key_type<T>;
  using item = std::conditional_t<sizeof(K) == 8, wide_item, packed_item>;
  constexpr int64_t most_few = most_ranked / 4, most_candidates = 1024;
  const int64_t k = r.length[0];
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], r.number[0].i != 0 ? ~K(0) : K(0)};
  if (k == 0) return;
  if (k <= most_few || keys.count <= most_ranked) return topk_few(r, keys);
  // A candidate takes 28 or 48 bytes, and work has 16 or 32 for each element of the row.
  if (k <= most_candidates && k <= keys.count / 8 && (sizeof(K) == 8 || keys.count <= most_packed)) {
    return topk_candidates<item>(r, keys, 2 * k + 48);
  }
  const key_range<K> range = range_of(keys, 0, keys.count);
  fits_packed(keys, range) ? topk_items<packed_item>(r, keys, range) : topk_items<wide_item>(r, keys, range);
}

// The position of the element of rank k in ascending order.
template <typename T>
int64_t position_of_rank(void* work, const keys_of_row<T>& keys, int64_t k) {
  using K = key_type<T>;
  if (keys.count <= most_ranked) {
    K key[most_ranked] = {}, ranks[most_ranked];
    for (int64_t i = 0; i < keys.count; ++i) key[i] = keys[i];
    rank_few(key, keys.count, ranks);
    int64_t found = 0;
    for (int64_t i = 0; i < keys.count; ++i) found = int64_t(ranks[i]) == k ? i : found;
    return found;
  }
  const key_range<K> range = range_of(keys, 0, keys.count);
  return fits_packed(keys, range) ? position_in(item_of_rank<packed_item>(work, keys, range, k))
                                  : position_in(item_of_rank<wide_item>(work, keys, range, k));
}
template <typename T>
void rank(const rows_at& r, int64_t k) {
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], 0};
  const int64_t at = position_of_rank(r.work, keys, k);
  write(r, 0, keys.in[at], at);
}
template <typename T>
void kth_value(const rows_at& r) {
  rank<T>(r, r.number[0].i);
}
template <typename T>
void median(const rows_at& r) {
  const T* const in = r.as<const T>(2);
  const int64_t count = r.length[2];
  int64_t nan = 0;
  for (int64_t i = 0; i < count; ++i) nan += is_nan(in[i]) ? 1 : 0;
  if (nan > 0 && r.number[0].i == 0) {
    int64_t first = 0;
    while (!is_nan(in[first])) ++first;
    return write(r, 0, in[first], first);
  }
  rank<T>(r, nan == count ? 0 : (count - nan - 1) / 2);
}

}  // namespace

rows_loop select_rows(const tb_rowwise& call) {
  const auto choosing = [&](rows_fn run, int64_t copies) {
    const bool wide = call.compute == TB_I64 || call.compute == TB_F64 || call.row[2].length > most_packed;
    return rows_loop{.run = run, .whole = operand(1), .work_bytes = copies * (wide ? 16 : 8)};
  };
  switch (call.op) {
    case TB_TOPK: return choosing(by_number(call, topk<uint8_t>, topk<int64_t>, topk<float>, topk<double>), 2);
    case TB_KTH_VALUE:
      return choosing(by_number(call, kth_value<uint8_t>, kth_value<int64_t>, kth_value<float>, kth_value<double>), 1);
    case TB_MEDIAN:
      return choosing(by_number(call, median<uint8_t>, median<int64_t>, median<float>, median<double>), 1);
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
