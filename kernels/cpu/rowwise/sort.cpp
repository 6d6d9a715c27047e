// Sorting a row, and its most frequent element. Stable: equal elements keep their order; a NaN compares above every
// number. Short rows are sorted by counting the smaller elements of each, others by radix sort of their keys, from
// which the least key is subtracted: few digits differ if the range is small.
#include "is_nan.h"
#include "layout.h"
#include "rowwise/radix_sort.h"
#include "rowwise/rank_few.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::is_nan;

template <typename T>
void sort_few(const rows_at& r, const keys_of_row<T>& keys) {
  const ranked_row<T> row(keys);
  for (int64_t i = 0; i < keys.count; ++i) r.as<T>(0)[row.rank[i]] = row.in[i];
  if (r.row[1] == nullptr) return;
  for (int64_t i = 0; i < keys.count; ++i) r.as<int64_t>(1)[row.rank[i]] = i;
}

// Whether elements are given by their keys.
template <typename T>
bool keeps_elements(const T* in, int64_t first, int64_t last) {
  if constexpr (!std::is_floating_point_v<T>) return true;
  using K = key_type<T>;
  constexpr K negative_zero = K(1) << (8 * sizeof(K) - 1);
  K lost = 0;
  for (int64_t i = first; i < last; ++i) {
    K bits;
    __builtin_memcpy(&bits, in + i, sizeof(T));
    lost |= K(in[i] != in[i]) | K(bits == negative_zero);
  }
  return lost == 0;
}

// What the sort of a row needs to know of it.
template <typename K>
struct row_facts {
  key_range<K> range;
  bool keeps;
};

template <typename T>
row_facts<key_type<T>> facts_of(const keys_of_row<T>& keys, int64_t parts) {
  row_facts<key_type<T>> of[most_row_parts];
  each_row_part(keys.count, parts, [&](int64_t part, int64_t first, int64_t last) {
    of[part] = {range_of(keys, first, last), keeps_elements(keys.in, first, last)};
  });
  for (int64_t part = 1; part < parts; ++part) {
    of[0].range.join(of[part].range);
    of[0].keeps = of[0].keeps && of[part].keeps;
  }
  return of[0];
}

// Sorts items with equal keys, which are the high bits of the row's keys, by the `cut` low bits.
template <typename T>
void sort_run(const keys_of_row<T>& keys, key_type<T> low, int cut, packed_item* items, packed_item* other,
              int64_t count) {
  constexpr int64_t few = 32;
  const uint64_t low_bits = (uint64_t(1) << cut) - 1;
  uint64_t differ = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = position_in(items[i]);
    items[i] = item_of<packed_item>(uint64_t(keys[position] - low) & low_bits, position);
    differ |= items[i] ^ items[0];
  }
  if (count <= few) return insertion_sort(items, count);
  int64_t counts[most_digits];
  const int bits = bits_of(differ >> position_bits<packed_item>);
  const packed_item* const in_order = radix_sort(items, other, count, position_bits<packed_item>, bits, 1, counts);
  if (in_order != items) __builtin_memcpy(items, in_order, size_t(count) * sizeof(packed_item));
}

// Sorts the runs of items with equal keys, each in one part.
template <typename T>
void sort_runs(const keys_of_row<T>& keys, key_type<T> low, int cut, packed_item* items, packed_item* other,
               int64_t parts) {
  const auto continues = [=](int64_t i) { return key_in(items[i]) == key_in(items[i - 1]); };
  int64_t begin[most_row_parts + 1];
  for (int64_t part = 0; part <= parts; ++part) {
    begin[part] = keys.count * part / parts;
    while (begin[part] > 0 && begin[part] < keys.count && continues(begin[part])) ++begin[part];
  }
  each_part(parts, [&](int64_t part) {
    const int64_t last = begin[part + 1];
    for (int64_t first = begin[part], end; first < last; first = end) {
      for (end = first + 1; end < last && continues(end);) ++end;
      if (end - first > 1) sort_run(keys, low, cut, items + first, other + first, end - first);
    }
  });
}

template <typename Item>
struct sorted_items {
  Item *items, *other;
  bool with_keys;  // items have the row's keys, with the least one subtracted
};

// The items of a row in order. Of keys that are too long for an item, the high bits are sorted first.
template <typename Item, typename T>
sorted_items<Item> sorted(void* work, const keys_of_row<T>& keys, const key_range<key_type<T>>& range, int64_t parts) {
  const int64_t count = keys.count;
  const int bits = bits_of(range.size()), most = 8 * int(sizeof(item_key<Item>)), cut = bits > most ? bits - most : 0;
  Item* const items = static_cast<Item*>(work);
  Item* const other = items + count;
  each_row_part(count, parts, [&](int64_t, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) items[i] = item_of<Item>(uint64_t(keys[i] - range.low) >> cut, i);
  });
  int64_t few_counts[most_digits];
  // The counts of several parts are behind the items, aligned.
  char* const behind = static_cast<char*>(work) + (2 * count * int64_t(sizeof(Item)) + 15) / 16 * 16;
  int64_t* const counts = parts == 1 ? few_counts : reinterpret_cast<int64_t*>(behind);
  Item* const in_order = radix_sort(items, other, count, position_bits<Item>, bits - cut, parts, counts);
  Item* const spare = in_order == items ? other : items;
  if constexpr (sizeof(Item) == sizeof(packed_item)) {
    if (cut != 0) sort_runs(keys, range.low, cut, in_order, spare, parts);
  }
  return {in_order, spare, cut == 0};
}

template <typename Item, typename T>
void sort_items(const rows_at& r, const keys_of_row<T>& keys, const row_facts<key_type<T>>& facts, int64_t parts) {
  const auto [items, other, with_keys] = sorted<Item>(r.work, keys, facts.range, parts);
  const bool keeps = with_keys && facts.keeps;
  T* const out = r.as<T>(0);
  int64_t* const index = r.as<int64_t>(1);
  // The result may be the row, so elements that are read again are collected first.
  T* const values = keeps ? out : reinterpret_cast<T*>(other);
  each_row_part(keys.count, parts, [&, items = items](int64_t, int64_t first, int64_t last) {
    if (keeps) {
      const key_type<T> low = facts.range.low, flip = keys.flip;
      for (int64_t i = first; i < last; ++i) {
        values[i] = element_of<T>(key_type<T>(key_type<T>(key_in(items[i])) + low) ^ flip);
      }
    } else {
      for (int64_t i = first; i < last; ++i) values[i] = keys.in[position_in(items[i])];
    }
    if (index == nullptr) return;
    for (int64_t i = first; i < last; ++i) index[i] = position_in(items[i]);
  });
  if (values != out) __builtin_memcpy(out, values, size_t(keys.count) * sizeof(T));
}

template <typename T>
void sort(const rows_at& r) {
  using K = key_type<T>;
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], r.number[0].i != 0 ? ~K(0) : K(0)};
  if (keys.count <= most_ranked) return sort_few(r, keys);
  const int64_t parts = row_parts(keys.count, least_sort_part);
  const row_facts<K> facts = facts_of(keys, parts);
  if (keys.count > most_packed) return sort_items<wide_item>(r, keys, facts, parts);
  if (r.row[1] == nullptr && facts.keeps && facts.range.size() >> 32 == 0)
    return sort_items<bare_item>(r, keys, facts, parts);
  sort_items<packed_item>(r, keys, facts, parts);
}

template <typename Item, typename T>
int64_t most_frequent(const rows_at& r, const keys_of_row<T>& keys, const key_range<key_type<T>>& range) {
  const Item* const items = sorted<Item>(r.work, keys, range, 1).items;
  int64_t best = 0, most = 0, times = 0;
  for (int64_t i = 0; i < keys.count; ++i) {
    // A NaN equals nothing.
    const bool again = i > 0 && key_in(items[i]) == key_in(items[i - 1]) && !is_nan(keys.in[position_in(items[i])]);
    times = again ? times + 1 : 1;
    if (times > most) most = times, best = i;
  }
  return position_in(items[best]);
}
template <typename T>
void mode(const rows_at& r) {
  const keys_of_row<T> keys{r.as<const T>(2), r.length[2], 0};
  const key_range<key_type<T>> range = range_of(keys, 0, keys.count);
  const bool narrow = range.size() >> 32 == 0 && keys.count <= most_packed;
  const int64_t best = narrow ? most_frequent<packed_item>(r, keys, range) : most_frequent<wide_item>(r, keys, range);
  const T value = keys.in[best];
  r.as<T>(0)[0] = value;
  if (r.row[1] != nullptr) r.as<int64_t>(1)[0] = best;
}

rows_loop sorting(const tb_rowwise& call, rows_fn run) {
  const bool wide_keys = call.compute == TB_I64 || call.compute == TB_F64;
  const bool wide = (call.op == TB_MODE && wide_keys) || call.row[2].length > most_packed;
  // Two buffers of items, and the counts of digits of each part.
  return {.run = run, .whole = operand(1), .work_bytes = 2 * (wide ? 16 : 8) + 1};
}

}  // namespace

rows_loop sort_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_SORT: return sorting(call, by_number(call, sort<uint8_t>, sort<int64_t>, sort<float>, sort<double>));
    case TB_MODE: return sorting(call, by_number(call, mode<uint8_t>, mode<int64_t>, mode<float>, mode<double>));
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
