// Sorting a row, and selecting from it by rank. Stable: equal elements keep their order; a NaN compares above every
// number.
#include "is_nan.h"
#include "layout.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
struct item {
  T value;
  int64_t index;
};

using tb_kernel::is_nan;

template <typename T>
bool less(T a, T b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

struct ascending {
  template <typename T>
  static bool before(const item<T>& a, const item<T>& b) {
    return less(a.value, b.value);
  }
};
struct descending {
  template <typename T>
  static bool before(const item<T>& a, const item<T>& b) {
    return less(b.value, a.value);
  }
};

template <typename T>
item<T>* items_of(const rows_at& r, const T* in, int64_t count) {
  item<T>* const items = static_cast<item<T>*>(r.work);
  for (int64_t i = 0; i < count; ++i) items[i] = {in[i], i};
  return items;
}

template <typename Order, typename T>
void merge(const item<T>* a, const item<T>* a_end, const item<T>* b, const item<T>* b_end, item<T>* out) {
  while (a != a_end && b != b_end) *out++ = Order::before(*b, *a) ? *b++ : *a++;
  while (a != a_end) *out++ = *a++;
  while (b != b_end) *out++ = *b++;
}

// Merge sort: insertion sort of short runs, which are then merged pairwise between the two buffers. Returns the buffer
// that holds the result.
template <typename Order, typename T>
item<T>* sorted(item<T>* items, item<T>* other, int64_t count) {
  constexpr int64_t run = 16;
  for (int64_t first = 0; first < count; first += run) {
    const int64_t last = count - first < run ? count : first + run;
    for (int64_t i = first + 1; i < last; ++i) {
      const item<T> x = items[i];
      int64_t at = i;
      for (; at > first && Order::before(x, items[at - 1]); --at) items[at] = items[at - 1];
      items[at] = x;
    }
  }
  for (int64_t width = run; width < count; width *= 2) {
    for (int64_t first = 0; first < count; first += 2 * width) {
      const int64_t middle = count - first < width ? count : first + width;
      const int64_t last = count - first < 2 * width ? count : first + 2 * width;
      merge<Order>(items + first, items + middle, items + middle, items + last, other + first);
    }
    item<T>* const swapped = items;
    items = other;
    other = swapped;
  }
  return items;
}

// The order of a stable sort as a strict total order: equal values are ordered by index.
template <typename Order>
struct with_index {
  template <typename T>
  static bool before(const item<T>& a, const item<T>& b) {
    return Order::before(a, b) || (!Order::before(b, a) && a.index < b.index);
  }
};

// Quickselect: moves the item of rank k to position k, and the smaller ones before it. Random pivots make quadratic
// time unlikely.
template <typename Order, typename T>
void select(item<T>* items, int64_t count, int64_t k) {
  using order = with_index<Order>;
  uint64_t state = 0x9e3779b97f4a7c15u;
  int64_t first = 0, last = count - 1;
  while (first < last) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const item<T> pivot = items[first + int64_t((state >> 33) % uint64_t(last - first + 1))];
    int64_t i = first, j = last;
    while (i <= j) {
      while (order::before(items[i], pivot)) ++i;
      while (order::before(pivot, items[j])) --j;
      if (i > j) break;
      const item<T> x = items[i];
      items[i++] = items[j];
      items[j--] = x;
    }
    if (k <= j) {
      last = j;
    } else if (k >= i) {
      first = i;
    } else {
      return;
    }
  }
}

template <typename T>
void write(const rows_at& r, int64_t at, const item<T>& x) {
  r.as<T>(0)[at] = x.value;
  if (r.row[1] != nullptr) r.as<int64_t>(1)[at] = x.index;
}

template <typename Order, typename T>
void sort_as(const rows_at& r) {
  const int64_t count = r.length[2];
  item<T>* const items = items_of(r, r.as<const T>(2), count);
  const item<T>* const in_order = sorted<Order>(items, items + count, count);
  for (int64_t i = 0; i < count; ++i) write(r, i, in_order[i]);
}
template <typename T>
void sort(const rows_at& r) {
  r.number[0].i != 0 ? sort_as<descending, T>(r) : sort_as<ascending, T>(r);
}

template <typename Order, typename T>
void topk_as(const rows_at& r) {
  const int64_t count = r.length[2], k = r.length[0];
  if (k == 0) return;
  item<T>* const items = items_of(r, r.as<const T>(2), count);
  select<Order>(items, count, k - 1);
  const item<T>* const in_order = sorted<with_index<Order>>(items, items + count, k);
  for (int64_t i = 0; i < k; ++i) write(r, i, in_order[i]);
}
template <typename T>
void topk(const rows_at& r) {
  r.number[0].i != 0 ? topk_as<descending, T>(r) : topk_as<ascending, T>(r);
}

template <typename T>
void rank(const rows_at& r, int64_t k) {
  const int64_t count = r.length[2];
  item<T>* const items = items_of(r, r.as<const T>(2), count);
  select<ascending>(items, count, k);
  write(r, 0, items[k]);
}
template <typename T>
void kth_value(const rows_at& r) {
  rank<T>(r, r.number[0].i);
}
template <typename T>
void median(const rows_at& r) {
  const T* const in = r.as<const T>(2);
  int64_t count = r.length[2];
  for (int64_t i = 0; i < r.length[2]; ++i) {
    if (!is_nan(in[i])) continue;
    if (r.number[0].i == 0) return write<T>(r, 0, {in[i], i});
    --count;
  }
  rank<T>(r, count == 0 ? 0 : (count - 1) / 2);
}

template <typename T>
void mode(const rows_at& r) {
  const int64_t count = r.length[2];
  item<T>* const items = items_of(r, r.as<const T>(2), count);
  const item<T>* const in_order = sorted<ascending>(items, items + count, count);
  int64_t best = 0, most = 0, times = 0;
  for (int64_t i = 0; i < count; ++i) {
    times = i > 0 && in_order[i].value == in_order[i - 1].value ? times + 1 : 1;
    if (times > most) most = times, best = i;
  }
  write(r, 0, in_order[best]);
}

rows_loop choosing(rows_fn run, int64_t copies) {
  return {.run = run, .whole = operand(1), .work_bytes = copies * int64_t(sizeof(item<double>))};
}

}  // namespace

rows_loop sort_rows(const tb_rowwise& call) {
  switch (call.op) {
    case TB_SORT: return choosing(by_number(call, sort<uint8_t>, sort<int64_t>, sort<float>, sort<double>), 2);
    case TB_TOPK: return choosing(by_number(call, topk<uint8_t>, topk<int64_t>, topk<float>, topk<double>), 2);
    case TB_KTH_VALUE:
      return choosing(by_number(call, kth_value<uint8_t>, kth_value<int64_t>, kth_value<float>, kth_value<double>), 1);
    case TB_MEDIAN:
      return choosing(by_number(call, median<uint8_t>, median<int64_t>, median<float>, median<double>), 1);
    case TB_MODE: return choosing(by_number(call, mode<uint8_t>, mode<int64_t>, mode<float>, mode<double>), 2);
    default: return {};
  }
}

}  // namespace tb_cpu::TOPBIT_ARCH
