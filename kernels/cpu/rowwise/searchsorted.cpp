// Searches values in a sorted row by bisection, several at once, so that they do not wait for each other's loads.
#include "layout.h"
#include "rowwise/rowwise.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t at_once = 16;

// A NaN is placed at the end, as every comparison with it is false. The same elements are compared whether a value is
// searched alone or not, as in rows that are not in order the result depends on them.
template <bool Right, bool Sorted, typename T>
void search_block(const T* row, const int64_t* order, int64_t length, const T* values, int64_t count, int64_t* out) {
  int64_t first[at_once] = {}, last[at_once];
  T value[at_once] = {};
  for (int64_t i = 0; i < at_once; ++i) last[i] = i < count ? length : 0;
  for (int64_t i = 0; i < count; ++i) value[i] = values[i];
  for (int64_t widest = length; widest > 0; widest /= 2) {
    for (int64_t i = 0; i < at_once; ++i) {
      const int64_t middle = first[i] + (last[i] - first[i]) / 2;
      const int64_t inside = middle < length ? middle : length - 1;
      const T x = row[Sorted ? inside : order[inside]];
      const bool found = Right ? x > value[i] : x >= value[i], open = first[i] < last[i];
      last[i] = found && open ? middle : last[i];
      first[i] = !found && open ? middle + 1 : first[i];
    }
  }
  for (int64_t i = 0; i < count; ++i) out[i] = first[i];
}

template <bool Right, bool Sorted, typename T>
void search_all(const rows_at& r) {
  const T *const row = r.as<const T>(1), *const values = r.as<const T>(2);
  each_row_part(r.length[0], row_parts(r.length[0]), [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += at_once) {
      const int64_t some = end - i < at_once ? end - i : at_once;
      search_block<Right, Sorted>(row, r.as<const int64_t>(3), r.length[1], values + i, some, r.as<int64_t>(0) + i);
    }
  });
}

template <typename T>
void search(const rows_at& r) {
  const bool right = r.number[0].i != 0;
  if (r.row[3] == nullptr) return right ? search_all<true, true, T>(r) : search_all<false, true, T>(r);
  right ? search_all<true, false, T>(r) : search_all<false, false, T>(r);
}

}  // namespace

rows_loop search_rows(const tb_rowwise& call) {
  if (call.op != TB_SEARCHSORTED) return {};
  return {.run = by_number(call, search<uint8_t>, search<int64_t>, search<float>, search<double>),
          .whole = operand(0) | operand(3),
          .index = 3,
          .range = 1};
}

}  // namespace tb_cpu::TOPBIT_ARCH
