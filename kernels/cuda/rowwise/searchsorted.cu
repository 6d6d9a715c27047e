// searchsorted: a binary search in a sorted row for each value, one thread per value.
#include "rowwise/rowwise.cuh"

namespace tb_cuda {
namespace {

struct searched_rows {
  const void *sorted, *values, *order;  // order is null without a sorter
  void* out;
  int32_t sorted_dtype, values_dtype, order_dtype, out_dtype;
  int64_t sorted_step, values_step, order_step, out_step;
  int64_t length, values_of_row;
  bool right, narrow;
  divider by_values;
  offsets<4> batch;  // out, sorted, values, order
};

// Checks every index of a sorter, also those that no search visits.
__global__ void check_order(searched_rows rows, reporter report) {
  const int64_t all = rows.batch.count * rows.length;
  for (int64_t t = first_index(); t < all; t += index_step()) {
    const int64_t r = t / rows.length;
    int64_t row[4];
    rows.batch.at(r, row);
    const int64_t at = row[3] + (t - r * rows.length) * rows.order_step;
    report.index(load_as<int64_t>(rows.order, rows.order_dtype, at), rows.length);
  }
}

template <typename C>
__global__ void search(searched_rows rows) {
  const int64_t all = rows.batch.count * rows.values_of_row;
  for (int64_t t = first_index(); t < all; t += index_step()) {
    const int64_t r = rows.narrow ? int64_t(rows.by_values.quotient(uint32_t(t))) : t / rows.values_of_row;
    const int64_t i = t - r * rows.values_of_row;
    int64_t row[4];
    rows.batch.at(r, row);
    const C value = load_as<C>(rows.values, rows.values_dtype, row[2] + i * rows.values_step);
    int64_t first = 0, last = rows.length;
    bool fits = true;
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      int64_t at = middle;
      if (rows.order != nullptr) {
        at = load_as<int64_t>(rows.order, rows.order_dtype, row[3] + middle * rows.order_step);
        fits = at >= 0 && at < rows.length;
        if (!fits) break;
      }
      const C x = load_as<C>(rows.sorted, rows.sorted_dtype, row[1] + at * rows.sorted_step);
      // A NaN belongs at the end: every comparison with it is false.
      const bool found = rows.right ? x > value : x >= value;
      if (found)
        last = middle;
      else
        first = middle + 1;
    }
    if (fits) store_as(rows.out, rows.out_dtype, row[0] + i * rows.out_step, first);
  }
}

template <typename C>
tb_status search_as(const searched_rows& rows, const scope& on) {
  return launch_over(on, "a search in rows", rows.batch.count * rows.values_of_row, search<C>, rows);
}

}  // namespace

tb_status search_rows(const tb_rowwise& call, const scope& on) {
  const tb_row_operand &out = call.row[0], &sorted = call.row[1], &values = call.row[2], &order = call.row[3];
  searched_rows rows{};
  rows.sorted = sorted.data;
  rows.values = values.data;
  rows.order = call.operands > 3 ? order.data : nullptr;
  rows.out = out.data;
  rows.sorted_dtype = sorted.dtype;
  rows.values_dtype = values.dtype;
  rows.order_dtype = order.dtype;
  rows.out_dtype = out.dtype;
  rows.sorted_step = sorted.step;
  rows.values_step = values.step;
  rows.order_step = order.step;
  rows.out_step = out.step;
  rows.length = sorted.length;
  rows.values_of_row = out.length;
  rows.right = call.number[0].i != 0;
  rows.batch = offsets<4>(call.ndim, call.sizes, [&](int o) { return call.row[o].strides; });
  const int64_t count = rows.batch.count;
  rows.narrow = count * out.length < INT64_C(0x80000000);
  rows.by_values = divider(rows.narrow && out.length > 0 ? uint32_t(out.length) : 1);
  if (rows.order != nullptr && count * rows.length > 0) {
    const tb_status status =
        launch_over(on, "a check of a sorter", count * rows.length, check_order, rows, report_for(on));
    if (status != TB_OK) return status;
  }
  const bool none = count * out.length == 0;
  switch (call.compute) {
    case TB_BOOL: return none ? TB_OK : search_as<bool_t>(rows, on);
    case TB_I64: return none ? TB_OK : search_as<int64_t>(rows, on);
    case TB_F32: return none ? TB_OK : search_as<float>(rows, on);
    case TB_F64: return none ? TB_OK : search_as<double>(rows, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
