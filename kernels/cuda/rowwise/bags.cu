// Sums, means and maxima of bags of rows of a table, by index: one thread for each column of a bag, in the order of its
// rows.
#include "is_nan.h"
#include "rowwise/rowwise.cuh"

namespace tb_cuda {
namespace {

struct bags {
  void* out;
  int64_t* sizes;
  int64_t* rows_of_maxima;
  const void* table;
  const int64_t *index, *offset;
  const void* factors;
  int64_t count, indices, offsets, columns, skipped, rows;
  int32_t op, dtype;

  explicit bags(const tb_rowwise& c)
      : out(c.row[0].data),
        sizes(static_cast<int64_t*>(c.row[1].data)),
        rows_of_maxima(c.op == TB_BAG_MAX ? static_cast<int64_t*>(c.row[2].data) : nullptr),
        factors(c.op == TB_BAG_SUM ? c.row[5].data : nullptr),
        count(c.row[1].length),
        columns(c.number[0].i),
        skipped(c.number[1].i),
        rows(c.number[2].i),
        op(c.op),
        dtype(c.row[0].dtype) {
    const int first = c.op == TB_BAG_MAX ? 3 : 2;
    table = c.row[first].data;
    index = static_cast<const int64_t*>(c.row[first + 1].data);
    offset = static_cast<const int64_t*>(c.row[first + 2].data);
    indices = c.row[first + 1].length;
    offsets = c.row[first + 2].length;
  }

  // Reports bad offsets; false for them. The bag is from `begin` to before `end`.
  __device__ bool range(int64_t bag, int64_t& begin, int64_t& end, const reporter& report) const {
    begin = offset[bag];
    end = bag + 1 < offsets ? offset[bag + 1] : indices;
    if (begin >= 0 && begin <= end && end <= indices && (bag != 0 || begin == 0)) return true;
    report(TB_BAD_VALUE, bag);
    return false;
  }
};

// One thread per column; a bag without columns has one thread too, which counts its rows.
template <typename C>
__global__ void reduce_rows(bags b, reporter report) {
  const int64_t wide = b.columns > 0 ? b.columns : 1;
  for (int64_t e = first_index(); e < b.count * wide; e += index_step()) {
    const int64_t bag = e / wide, column = e - bag * wide;
    int64_t begin, end, added = 0, row_of_maximum = 0;
    if (!b.range(bag, begin, end, report)) continue;
    C total = C(0);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = report.index(b.index[i], b.rows);
      if (row < 0 || row == b.skipped) continue;
      ++added;
      if (b.columns == 0) continue;
      const C x = load_as<C>(b.table, b.dtype, row * b.columns + column);
      if (b.op != TB_BAG_MAX) {
        total += b.factors == nullptr ? x : load_as<C>(b.factors, b.dtype, i) * x;
      } else if (added == 1 || x > total || (tb_kernel::is_nan(x) && !tb_kernel::is_nan(total))) {
        total = x;
        row_of_maximum = row;
      }
    }
    if (column == 0) b.sizes[bag] = added;
    if (b.columns == 0) continue;
    store_as<C>(b.out, b.dtype, e, b.op == TB_BAG_MEAN && added != 0 ? total / C(added) : total);
    if (b.rows_of_maxima != nullptr) b.rows_of_maxima[e] = row_of_maximum;
  }
}

// Indices that are in no bag are checked too.
__global__ void check_indices(bags b, reporter report) {
  for (int64_t i = first_index(); i < b.indices; i += index_step()) report.index(b.index[i], b.rows);
}

}  // namespace

tb_status reduce_bags(const tb_rowwise& call, const scope& on) {
  if (call.compute != TB_F32 && call.compute != TB_F64) return TB_UNSUPPORTED_DTYPE;
  const bags b(call);
  const tb_status status = launch_over(on, "embedding_bag", b.indices, &check_indices, b, report_for(on));
  if (status != TB_OK) return status;
  const int64_t work = b.count * (b.columns > 0 ? b.columns : 1);
  return call.compute == TB_F32 ? launch_over(on, "embedding_bag", work, &reduce_rows<float>, b, report_for(on))
                                : launch_over(on, "embedding_bag", work, &reduce_rows<double>, b, report_for(on));
}

}  // namespace tb_cuda
