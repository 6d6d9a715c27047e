// Reductions over a plan: selects the reducer of an operation and feeds it with elements.
//
// If the first kept dimension has a smaller stride than the first reduced one, a tile of neighbouring results is
// reduced at once, in columns; otherwise each result by itself, along the reduced dimensions, or, if long rows of other
// results lie between its own, a slice of each result at a time. Elements that are not dense in the compute type, and
// short rows, are gathered in a buffer first. Threads partition the kept positions; a single long reduction is divided
// into parts of fixed size, whose partial results are merged in order.
#include "reduce/reduce.h"

#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "elementwise/partition.h"
#include "layout.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block = 2048;
constexpr int64_t short_row = 64;
// Elements per part of a long reduction. The order of a sum depends on this constant alone and not on
// TOPBIT_PARALLEL_GRAIN. It is larger than the default grain because reducing an element is less work than most kernels
// do.
constexpr int64_t part_elements = 4 * 32768;
// Positions that are reduced together, a slice of each at a time.
constexpr int64_t most_sliced = 64;

// The input of a reduction at one position of the kept dimensions.
class source {
 public:
  source(const tb_plan& plan, int32_t compute)
      : in_(plan.operand[plan.operands - 1]),
        load_(conversion(compute, in_.dtype)),
        element_(element_bytes[in_.dtype]),
        loaded_(element_bytes[compute]),
        same_type_(in_.dtype == compute),
        column_(plan.reduced < plan.ndim ? in_.strides[plan.reduced] : 0) {
    reduced_.ndim = plan.reduced;
    reduced_.operands = 1;
    reduced_.operand[0] = in_;
    for (int d = 0; d < reduced_.ndim; ++d) {
      reduced_.sizes[d] = plan.sizes[d];
      count_ *= plan.sizes[d];
    }
  }

  int64_t count() const { return count_; }
  int64_t column_bytes() const { return column_ * element_; }
  bool denser_across() const {
    const auto distance = [](int64_t stride) { return stride == 0 ? INT64_MAX : stride < 0 ? -stride : stride; };
    return distance(column_) < distance(in_.strides[0]);
  }

  // Whether each result is the reduction of one dense row that is not divided into parts.
  bool has_dense_rows() const {
    return same_type_ && reduced_.ndim == 1 && in_.strides[0] == 1 && count_ < 2 * part_elements;
  }

  // Whether the columns of few dense rows are reduced.
  bool has_few_rows() const { return same_type_ && reduced_.ndim == 1 && column_ == 1 && count_ <= most_few_rows; }

  // Whether each result reduces several dense rows, long ones, and those of other results lie between them.
  bool has_slices() const {
    constexpr int64_t long_row = 1024;
    const int last = reduced_.ndim - 1;
    return same_type_ && last > 0 && in_.strides[0] == 1 && reduced_.sizes[0] >= long_row &&
           in_.strides[last] > column_;
  }

  // As feed_along for each of n positions, bit for bit, but a slice of the outermost reduced dimension at a time, so
  // that memory is read in order. The partial results are in `records`.
  void feed_slices(const reducer& f, reducer_record* records, const double* constant, char* const* at,
                   int64_t n) const {
    const int last = reduced_.ndim - 1;
    const int64_t length = reduced_.sizes[last], inner = count_ / length, step = slices_of_part();
    source slice = *this;
    slice.reduced_.sizes[last] = 1;
    reducer_state state;
    reducer_record parts[most_sliced];
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t p = 0; p < n; ++p) {
        f.start(&state, 1, constant + p);
        if (i % step != 0) f.take_in(&state, &parts[p]);
        slice.feed_rows(f, &state, at[p] + i * in_.strides[last] * element_, i * inner);
        f.put_aside(&state, &parts[p]);
        if ((i + 1) % step != 0 && i + 1 < length) continue;
        f.start(&state, 1, constant + p);
        if (i >= step) f.take_in(&state, &records[p]);
        f.take_in(&state, &parts[p]);
        f.put_aside(&state, &records[p]);
      }
    }
  }

  void feed_along(const reducer& f, void* state, const double* constant, char* at) const {
    const int last = reduced_.ndim - 1;
    const int64_t length = reduced_.sizes[last], inner = count_ / length, step = slices_of_part();
    const int64_t parts = (length + step - 1) / step;
    if (parts < 2) return feed_rows(f, state, at, 0);
    // Partial results are merged in order, so the result does not depend on the threads.
    constexpr int64_t window = 64;
    reducer_record records[window];
    for (int64_t begin = 0; begin < parts; begin += window) {
      const int64_t some = parts - begin < window ? parts - begin : window;
      each_part(some, [&](int64_t i) {
        const int64_t first = (begin + i) * step;
        source part = *this;
        part.reduced_.sizes[last] = length - first < step ? length - first : step;
        reducer_state own;
        f.start(&own, 1, constant);
        part.feed_rows(f, &own, at + first * in_.strides[last] * element_, first * inner);
        f.put_aside(&own, &records[i]);
      });
      for (int64_t i = 0; i < some; ++i) f.take_in(state, &records[i]);
    }
  }

  void feed_across(const reducer& f, void* state, char* at, int64_t n) const {
    // A fixed number of rows, whatever the number of columns: the order of a sum depends on the calls.
    constexpr int64_t most = 8;
    alignas(64) unsigned char buffer[most * tile * 8];
    const int64_t length = reduced_.sizes[0], step = in_.strides[0];
    const bool direct = same_type_ && column_ == 1;
    int64_t first = 0;
    rows(at, [&](const char* row) {
      if (direct) {
        f.across(state, row, n, length, step, first);
      } else {
        for (int64_t r = 0; r < length; r += most) {
          const int64_t some = length - r < most ? length - r : most;
          for (int64_t k = 0; k < some; ++k) {
            load_(buffer + k * n * loaded_, 1, row + (r + k) * step * element_, column_, n);
          }
          f.across(state, buffer, n, some, n, first + r);
        }
      }
      first += length;
    });
  }

 private:
  // How much of the outermost reduced dimension is a part of a long reduction.
  int64_t slices_of_part() const {
    const int64_t length = reduced_.sizes[reduced_.ndim - 1], inner = count_ / length;
    return count_ < 2 * part_elements ? length : inner < part_elements ? (part_elements + inner - 1) / inner : 1;
  }

  // `first` is the index of the first element within the reduced dimensions.
  void feed_rows(const reducer& f, void* state, char* at, int64_t first) const {
    alignas(64) unsigned char buffer[block * 8];
    const int64_t length = reduced_.sizes[0], step = in_.strides[0];
    const auto along = same_type_             ? f.along
                       : in_.dtype == TB_F16  ? f.along_f16
                       : in_.dtype == TB_BF16 ? f.along_bf16
                                              : nullptr;
    const bool direct = along != nullptr && step == 1 && (length >= short_row || reduced_.ndim == 1);
    int64_t filled = 0;
    rows(at, [&](const char* row) {
      if (direct) {
        along(state, row, length, first);
        first += length;
        return;
      }
      for (int64_t i = 0; i < length;) {
        const int64_t some = length - i < block - filled ? length - i : block - filled;
        load_(buffer + filled * loaded_, 1, row + i * step * element_, step, some);
        i += some;
        filled += some;
        if (filled < block) continue;
        f.along(state, buffer, block, first);
        first += block;
        filled = 0;
      }
    });
    if (filled > 0) f.along(state, buffer, filled, first);
  }

  template <typename Visit>
  void rows(char* at, Visit visit) const {
    if (reduced_.ndim == 1) return visit(static_cast<const char*>(at));
    tb_plan plan = reduced_;
    plan.operand[0].data = at;
    each_row<1>(plan, [&](char* const* row) { visit(static_cast<const char*>(row[0])); });
  }

  const tb_operand& in_;
  convert_fn load_;
  int64_t element_, loaded_;
  bool same_type_;
  int64_t column_;  // distance between columns, in elements
  int64_t count_ = 1;
  tb_plan reduced_{};  // the reduced dimensions of the input
};

// Reduces n columns; results are written to `out` and `index`.
template <typename Feed>
void run_reducers(const tb_reduction& call, const reducers& how, int64_t count, int64_t n, Feed feed, void* out,
                  int64_t* index) {
  reducer_state state;
  double constant[tile];
  for (int64_t c = 0; c < n; ++c) constant[c] = call.number[0].f;
  const reducer* last = &how.first;
  if (how.second.start != nullptr) {
    how.first.start(&state, n, constant);
    feed(how.first, &state, constant);
    how.first.finish(&state, n, count, call.number, constant, nullptr);
    last = &how.second;
  }
  last->start(&state, n, constant);
  feed(*last, &state, constant);
  last->finish(&state, n, count, call.number, out, index);
}

// Reduces n positions, whose operands are at at[operand][position], a slice of each at a time.
template <int Operands>
void run_slices(const tb_reduction& call, const source& in, const reducers& how, convert_fn store,
                char* const (*at)[most_sliced], int64_t n) {
  reducer_state state;
  reducer_record records[most_sliced];
  double constant[most_sliced];
  for (int64_t p = 0; p < n; ++p) constant[p] = call.number[0].f;
  const auto reduce_by = [&](const reducer& f, const auto& finish) {
    in.feed_slices(f, records, constant, at[Operands - 1], n);
    for (int64_t p = 0; p < n; ++p) {
      f.start(&state, 1, constant + p);
      f.take_in(&state, &records[p]);
      finish(p);
    }
  };
  const bool twice = how.second.start != nullptr;
  if (twice) {
    reduce_by(how.first,
              [&](int64_t p) { how.first.finish(&state, 1, in.count(), call.number, constant + p, nullptr); });
  }
  const reducer& last = twice ? how.second : how.first;
  reduce_by(last, [&](int64_t p) {
    double out;
    int64_t index;
    last.finish(&state, 1, in.count(), call.number, &out, &index);
    store(at[0][p], 1, &out, 1, 1);
    if (Operands == 3) __builtin_memcpy(at[1][p], &index, sizeof index);
  });
}

template <int Operands>
void run(const tb_reduction& call, const tb_plan& plan, const reducers& how) {
  const tb_operand& result = plan.operand[0];
  const convert_fn store = conversion(result.dtype, how.second.start != nullptr ? how.second.result : how.first.result);
  const source in(plan, call.compute);
  alignas(64) double out[tile];
  int64_t index[tile];
  const bool across = plan.reduced < plan.ndim && in.denser_across();
  if (!across && plan.reduced < plan.ndim && how.first.rows != nullptr && how.second.start == nullptr &&
      in.has_dense_rows()) {
    const int64_t rows = plan.sizes[plan.reduced], result_step = result.strides[plan.reduced];
    each_position<Operands>(plan, plan.reduced + 1, [&](char* const* at) {
      for (int64_t first = 0; first < rows; first += tile) {
        const int64_t n = rows - first < tile ? rows - first : tile;
        how.first.rows(at[Operands - 1] + first * in.column_bytes(), n,
                       plan.operand[Operands - 1].strides[plan.reduced], in.count(), call.number, out);
        store(at[0] + first * result_step * element_bytes[result.dtype], result_step, out, 1, n);
      }
    });
    return;
  }
  if (!across && in.has_slices() && positions(plan) > in.count()) {
    char* at[Operands][most_sliced];
    int64_t n = 0;
    each_position<Operands>(plan, plan.reduced, [&](char* const* position) {
      for (int o = 0; o < Operands; ++o) at[o][n] = position[o];
      if (++n < most_sliced) return;
      run_slices<Operands>(call, in, how, store, at, n);
      n = 0;
    });
    if (n > 0) run_slices<Operands>(call, in, how, store, at, n);
    return;
  }
  if (!across) {
    each_position<Operands>(plan, plan.reduced, [&](char* const* at) {
      const auto feed = [&](const reducer& f, void* state, const double* constants) {
        in.feed_along(f, state, constants, at[Operands - 1]);
      };
      run_reducers(call, how, in.count(), 1, feed, out, index);
      store(at[0], 1, out, 1, 1);
      if (Operands == 3) __builtin_memcpy(at[1], index, sizeof index[0]);
    });
    return;
  }
  const bool few_rows = how.first.few_rows != nullptr && how.second.start == nullptr && in.has_few_rows();
  const int64_t columns = plan.sizes[plan.reduced], result_step = result.strides[plan.reduced];
  each_position<Operands>(plan, plan.reduced + 1, [&](char* const* at) {
    for (int64_t first = 0; first < columns; first += tile) {
      const int64_t n = columns - first < tile ? columns - first : tile;
      char* const from = at[Operands - 1] + first * in.column_bytes();
      const auto feed = [&](const reducer& f, void* state, const double*) { in.feed_across(f, state, from, n); };
      if (few_rows) {
        how.first.few_rows(from, n, in.count(), plan.operand[Operands - 1].strides[0], call.number, out);
      } else {
        run_reducers(call, how, in.count(), n, feed, out, index);
      }
      store(at[0] + first * result_step * element_bytes[result.dtype], result_step, out, 1, n);
      if (Operands == 3) {
        const int64_t step = plan.operand[1].strides[plan.reduced];
        int64_t* const to = static_cast<int64_t*>(static_cast<void*>(at[1])) + first * step;
        for (int64_t c = 0; c < n; ++c) to[c * step] = index[c];
      }
    }
  });
}

}  // namespace

tb_status reduce(const tb_reduction* call, const tb_call*) {
  reducers how = sum_reducers(call->op, call->compute, call->number);
  if (how.first.start == nullptr) how = minmax_reducers(call->op, call->compute);
  if (how.first.start == nullptr || call->plan.operands != (how.indexed ? 3 : 2)) return TB_UNSUPPORTED_DTYPE;
  const auto part = [&](const tb_plan& plan) {
    if (how.indexed) {
      run<3>(*call, plan, how);
    } else {
      run<2>(*call, plan, how);
    }
  };
  if (call->plan.reduced < call->plan.ndim) {
    in_parts(call->plan, call->plan.reduced, positions(call->plan), part);
  } else {
    part(call->plan);
  }
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
