// Selection by rank from a row: the least elements in order, the k-th one, the median. Of equal elements the first
// comes first; a NaN compares above every number. Takes linear time for any row: digits of keys are counted from the
// highest on, and only items with the digit of the wanted rank are kept.
#include <atomic>

#include "is_nan.h"
#include "layout.h"
#include "rowwise/radix_sort.h"
#include "rowwise/rank_few.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::is_nan;

constexpr int64_t few = 32;         // items that insertion sort orders
constexpr int64_t key_block = 256;  // keys that are computed at once, which the compiler vectorizes

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

// Counts the digits of the values begin to end - 1.
template <typename Digit>
void count_digits(int64_t begin, int64_t end, int64_t digit_count, Digit digit, int64_t* all) {
  // Two sets, so that equal digits in a row do not wait for each other.
  uint32_t here[key_block];
  int64_t other[most_digits];
  for (int64_t d = 0; d < digit_count; ++d) all[d] = other[d] = 0;
  for (int64_t first = begin; first < end; first += key_block) {
    const int64_t some = end - first < key_block ? end - first : key_block;
    for (int64_t i = 0; i < some; ++i) here[i] = digit(first + i);
    int64_t i = 0;
    for (; i + 2 <= some; i += 2) {
      ++all[here[i]];
      ++other[here[i + 1]];
    }
    if (i < some) ++all[here[i]];
  }
  for (int64_t d = 0; d < digit_count; ++d) all[d] += other[d];
}

// The digit of the value of rank k; k becomes its rank among the values with that digit. Digits are counted in parts.
template <typename Digit>
int64_t digit_of_rank(int64_t count, int64_t parts, int64_t digit_count, int64_t& k, Digit digit) {
  int64_t all[most_digits];
  if (parts == 1) {
    count_digits(0, count, digit_count, digit, all);
  } else {
    for (int64_t d = 0; d < digit_count; ++d) all[d] = 0;
    each_row_part(count, parts, [&](int64_t, int64_t first, int64_t last) {
      int64_t mine[most_digits];
      count_digits(first, last, digit_count, digit, mine);
      for (int64_t d = 0; d < digit_count; ++d) {
        if (mine[d] != 0) std::atomic_ref(all[d]).fetch_add(mine[d], std::memory_order_relaxed);
      }
    });
  }
  int64_t d = 0;
  for (; k >= all[d]; ++d) k -= all[d];
  return d;
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
    const int64_t wanted = digit_of_rank(count, 1, by.count, k, digit);
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

// The parts of a row whose digits are counted independently.
inline int64_t parts_to_select(int64_t count) { return row_parts(count, 2 * least_sort_part); }

template <typename T>
key_range<key_type<T>> range_of(const keys_of_row<T>& keys) {
  key_range<key_type<T>> of[most_row_parts];
  const int64_t parts = parts_to_select(keys.count);
  each_row_part(keys.count, parts,
                [&](int64_t part, int64_t first, int64_t last) { of[part] = range_of(keys, first, last); });
  for (int64_t part = 1; part < parts; ++part) of[0].join(of[part]);
  return of[0];
}

// The item of rank k of a row. Keys have range.low subtracted.
template <typename Item, typename T>
Item item_of_rank(void* work, const keys_of_row<T>& keys, const key_range<key_type<T>>& range, int64_t k) {
  Item* const items = static_cast<Item*>(work);
  const digits by(range.size(), keys.count);
  const auto digit = [=](int64_t i) { return uint32_t((keys[i] - range.low) >> by.shift); };
  const int64_t parts = parts_to_select(keys.count);
  const int64_t wanted = digit_of_rank(keys.count, parts, by.count, k, digit);
  int64_t begin[most_row_parts], kept[most_row_parts];
  each_row_part(keys.count, parts, [&](int64_t part, int64_t first, int64_t last) {
    Item* const mine = items + first;
    int64_t n = 0;
    for (int64_t i = first; i < last; i += key_block) {
      const int64_t some = last - i < key_block ? last - i : key_block;
      key_type<T> key[key_block];
      for (int64_t j = 0; j < some; ++j) key[j] = key_type<T>(keys[i + j] - range.low);
      for (int64_t j = 0; j < some; ++j) {
        mine[n] = item_of<Item>(key[j], i + j);
        n += int64_t(key[j] >> by.shift) == wanted ? 1 : 0;
      }
    }
    begin[part] = first;
    kept[part] = n;
  });
  int64_t count = kept[0];
  for (int64_t part = 1; part < parts; count += kept[part++]) {
    __builtin_memmove(items + count, items + begin[part], size_t(kept[part]) * sizeof(Item));
  }
  return by.shift == 0 ? items[k] : item_of_rank(items, count, k);
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

// Few candidates that are kept.
template <typename K>
struct few_candidates {
  K key[most_ranked];
  int64_t position[most_ranked], held;
};

// Those of at least k elements. The candidates are local until the end, so that they stay in registers.
template <typename T>
[[gnu::noinline]] void find_few(const keys_of_row<T>& keys, int64_t k, few_candidates<key_type<T>>& found) {
  using K = key_type<T>;
  K key[most_ranked];
  int64_t position[most_ranked];
  candidates<K> of{key, position};
  add_candidates(keys, most_ranked, of, [&] { return keep_few(of, k); });
  for (int64_t i = 0; i < of.held; ++i) found.key[i] = key[i], found.position[i] = position[i];
  found.held = of.held;
}

// For few k: the candidates of the parts of a row, in order.
template <typename T>
void topk_few(const rows_at& r, const keys_of_row<T>& keys) {
  using K = key_type<T>;
  const int64_t k = r.length[0], parts = parts_to_select(keys.count);
  few_candidates<K> found[most_row_parts];
  each_row_part(keys.count, parts, [&](int64_t part, int64_t first, int64_t last) {
    find_few(keys_of_row<T>{keys.in + first, last - first, keys.flip}, k, found[part]);
    for (int64_t i = 0; i < found[part].held; ++i) found[part].position[i] += first;
  });
  candidates<K> of{found[0].key, found[0].position, found[0].held};
  for (int64_t part = 1; part < parts; ++part) {
    for (int64_t i = 0; i < found[part].held; ++i, ++of.held) {
      of.key[of.held] = found[part].key[i];
      of.position[of.held] = found[part].position[i];
    }
    keep_few(of, k);
  }
  T values[most_ranked];  // the result may be the row
  for (int64_t i = 0; i < of.held; ++i) values[i] = keys.in[of.position[i]];
  for (int64_t i = 0; i < of.held; ++i) write(r, i, values[i], of.position[i]);
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

// A row of few elements, ranked at once.
template <typename T>
void topk_ranked(const rows_at& r, const keys_of_row<T>& keys) {
  const ranked_row<T> row(keys);
  int64_t position[most_ranked];
  for (int64_t i = 0; i < keys.count; ++i) position[row.rank[i]] = i;
  for (int64_t i = 0; i < r.length[0]; ++i) write(r, i, row.in[position[i]], position[i]);
}

template <typename T>
void topk(const rows_at& r) {
  using K = key_type<T>;
  using item = std::conditional_t<sizeof(K) == 8, wide_item, packed_item>;
  constexpr int64_t most_few = most_ranked / 4, most_candidates = 1024;
  const int64_t k = r.length[0];
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], r.number[0].i != 0 ? ~K(0) : K(0)};
  if (k == 0) return;
  if (keys.count <= most_ranked) return topk_ranked(r, keys);
  if (k <= most_few) return topk_few(r, keys);
  // A candidate takes 28 or 48 bytes, and work has 16 or 32 for each element of the row.
  if (k <= most_candidates && k <= keys.count / 8 && (sizeof(K) == 8 || keys.count <= most_packed)) {
    return topk_candidates<item>(r, keys, 2 * k + 48);
  }
  const key_range<K> range = range_of(keys);
  fits_packed(keys, range) ? topk_items<packed_item>(r, keys, range) : topk_items<wide_item>(r, keys, range);
}

// The position of the element of rank k in ascending order, of a row of few.
template <typename T>
int64_t position_among_few(const keys_of_row<T>& keys, int64_t k) {
  using K = key_type<T>;
  K key[most_ranked] = {}, ranks[most_ranked];
  for (int64_t i = 0; i < keys.count; ++i) key[i] = keys[i];
  rank_few(key, keys.count, ranks);
  int64_t found = 0;
  for (int64_t i = 0; i < keys.count; ++i) found = int64_t(ranks[i]) == k ? i : found;
  return found;
}

template <typename T>
int64_t position_of_rank(void* work, const keys_of_row<T>& keys, const key_range<key_type<T>>& range, int64_t k) {
  return fits_packed(keys, range) ? position_in(item_of_rank<packed_item>(work, keys, range, k))
                                  : position_in(item_of_rank<wide_item>(work, keys, range, k));
}

template <typename T>
void kth_value(const rows_at& r) {
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], 0};
  const int64_t k = r.number[0].i;
  const int64_t at =
      keys.count <= most_ranked ? position_among_few(keys, k) : position_of_rank(r.work, keys, range_of(keys), k);
  write(r, 0, keys.in[at], at);
}

template <typename T>
int64_t count_nan(const T* in, int64_t count) {
  int64_t nan = 0;
  for (int64_t i = 0; i < count; ++i) nan += is_nan(in[i]) ? 1 : 0;
  return nan;
}

template <typename T>
void median(const rows_at& r) {
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], 0};
  const bool few_keys = keys.count <= most_ranked;
  key_range<key_type<T>> range{};
  if (!few_keys) range = range_of(keys);
  // NaNs have the greatest key.
  const int64_t nan = few_keys || range.high == ~key_type<T>(0) ? count_nan(keys.in, keys.count) : 0;
  int64_t at = 0;
  if (nan > 0 && r.number[0].i == 0) {
    while (!is_nan(keys.in[at])) ++at;
  } else {
    const int64_t k = nan == keys.count ? 0 : (keys.count - nan - 1) / 2;
    at = few_keys ? position_among_few(keys, k) : position_of_rank(r.work, keys, range, k);
  }
  write(r, 0, keys.in[at], at);
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
