// Searches values in a sorted row by bisection.
#include "layout.h"
#include "rowwise/rowwise.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// A NaN is placed at the end, as every comparison with it is false.
template <typename T>
void search(const rows_at& r) {
  const T *const row = r.as<const T>(1), *const values = r.as<const T>(2);
  const int64_t* const order = r.as<const int64_t>(3);
  int64_t* const out = r.as<int64_t>(0);
  const bool right = r.number[0].i != 0;
  for (int64_t i = 0; i < r.length[0]; ++i) {
    int64_t first = 0, last = r.length[1];
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      const T x = row[order == nullptr ? middle : order[middle]];
      const bool found = right ? x > values[i] : x >= values[i];
      found ? last = middle : first = middle + 1;
    }
    out[i] = first;
  }
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
