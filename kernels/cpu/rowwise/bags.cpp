// Sums, means and maxima of bags of rows of a table, by index.
//
// A block of columns stays in registers while the rows of a bag are added to it, in their order, whatever the
// instruction set and the number of threads. For a bag of n rows the error of a sum is at most n u / (1 - n u) times
// the sum of the magnitudes, with factors (n + 1) for n, where u is half an ulp of 1 (Higham, Accuracy and Stability
// of Numerical Algorithms, section 4.2). float16 and bfloat16 are added in float and rounded once.
#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "is_nan.h"
#include "layout.h"
#include "rowwise/index_range.h"
#include "rowwise/rowwise.h"
#include "threads/row_parts.h"
#include "vector_lanes.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::is_nan;
using tb_kernel::lanes;

// The operands of a call.
struct bags {
  const tb_rowwise& call;
  int first;  // the first operand that is read
  int64_t count, indices, offsets, columns, skipped;
  const int64_t *index, *offset;

  explicit bags(const tb_rowwise& c)
      : call(c),
        first(c.op == TB_BAG_MAX ? 3 : 2),
        count(c.row[1].length),
        indices(c.row[first + 1].length),
        offsets(c.row[first + 2].length),
        columns(c.number[0].i),
        skipped(c.number[1].i),
        index(static_cast<const int64_t*>(c.row[first + 1].data)),
        offset(static_cast<const int64_t*>(c.row[first + 2].data)) {}

  int64_t end_of(int64_t bag) const { return bag + 1 < offsets ? offset[bag + 1] : indices; }
};

tb_status check(const bags& b, int64_t rows) {
  int64_t before = 0;
  for (int64_t i = 0; i < b.offsets; ++i) {
    if (b.offset[i] < before || b.offset[i] > b.indices || (i == 0 && b.offset[i] != 0)) return TB_BAD_VALUE;
    before = b.offset[i];
  }
  if (indices_within(b.index, b.indices, 0, rows)) return TB_OK;
  uint64_t greatest = 0;  // negative ones are greater than all others
  for (int64_t i = 0; i < b.indices; ++i) {
    greatest = uint64_t(b.index[i]) > greatest ? uint64_t(b.index[i]) : greatest;
  }
  if (b.call.bad_index != nullptr) *b.call.bad_index = int64_t(greatest);
  return TB_BAD_INDEX;
}

template <typename V, typename T>
V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <typename V, typename T>
void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// The most columns of a tile: their sums stay in registers.
constexpr int64_t most_columns = 64;

// Columns of rows in the compute type: in place, or converted into a buffer.
template <typename T, bool Converts>
struct row_reader {
  const char* first;  // the columns in the first row
  int64_t pitch;      // bytes between rows
  int64_t count;      // columns
  convert_fn convert;
  T line[Converts ? most_columns : 1];

  row_reader(const bags& b, int64_t column, int64_t wanted) : count(wanted) {
    const tb_row_operand& table = b.call.row[b.first];
    const int64_t bytes = element_bytes[table.dtype];
    first = static_cast<const char*>(table.data) + column * bytes;
    pitch = b.columns * bytes;
    convert = Converts ? conversion(b.call.compute, table.dtype) : nullptr;
  }
  const T* at(int64_t row) {
    const char* const from = first + row * pitch;
    if constexpr (!Converts) return reinterpret_cast<const T*>(from);
    convert(line, 1, from, 1, count);
    return line;
  }
};

// What a tile of Count * Width columns does with each row of a bag.
template <typename T, int Count, int Width>
struct sums {
  using vector = lanes<T, Width>;
  vector total[Count] = {};

  explicit sums(const bags&) {}

  void add(const T* row, int64_t, int64_t, bool) {
#pragma clang loop unroll(full)
    for (int t = 0; t < Count; ++t) total[t] += load<vector>(row + t * Width);
  }
  void finish(const bags& b, int64_t, int64_t added, T* out) const {
    const bool divides = b.call.op == TB_BAG_MEAN && added != 0;
    for (int t = 0; t < Count; ++t) store(out + t * Width, divides ? total[t] / T(added) : total[t]);
  }
};

template <typename T, int Count, int Width>
struct weighted_sums : sums<T, Count, Width> {
  using typename sums<T, Count, Width>::vector;
  const tb_row_operand& factors;
  const convert_fn convert;

  explicit weighted_sums(const bags& b)
      : sums<T, Count, Width>(b),
        factors(b.call.row[5]),
        convert(factors.dtype != b.call.compute ? conversion(b.call.compute, factors.dtype) : nullptr) {}

  T factor_of(int64_t i) const {
    if (convert == nullptr) return static_cast<const T*>(factors.data)[i];
    T factor;
    convert(&factor, 1, static_cast<const char*>(factors.data) + i * element_bytes[factors.dtype], 1, 1);
    return factor;
  }
  void add(const T* row, int64_t i, int64_t, bool) {
    const T factor = factor_of(i);
#pragma clang loop unroll(full)
    for (int t = 0; t < Count; ++t) this->total[t] += factor * load<vector>(row + t * Width);
  }
};

template <typename T, int Count, int Width>
struct maxima {
  using vector = lanes<T, Width>;
  using rows = lanes<int64_t, Width>;
  vector total[Count] = {};
  rows row_of[Count] = {};

  explicit maxima(const bags&) {}

  void add(const T* row, int64_t, int64_t at, bool is_first) {
#pragma clang loop unroll(full)
    for (int t = 0; t < Count; ++t) {
      const vector x = load<vector>(row + t * Width);
      if constexpr (Width == 1) {
        const bool greater = is_first || x > total[t] || (is_nan(x) && !is_nan(total[t]));
        total[t] = greater ? x : total[t];
        row_of[t] = greater ? at : row_of[t];
      } else {
        const auto greater = (x > total[t]) | ((x != x) & (total[t] == total[t]));
        const auto taken = is_first ? ~decltype(greater){} : greater;
        total[t] = taken ? x : total[t];
        row_of[t] = __builtin_convertvector(taken, rows) ? rows{} + at : row_of[t];
      }
    }
  }
  void finish(const bags& b, int64_t at, int64_t, T* out) const {
    int64_t* const to = static_cast<int64_t*>(b.call.row[2].data) + at;
    for (int t = 0; t < Count; ++t) {
      store(out + t * Width, total[t]);
      store(to + t * Width, row_of[t]);
    }
  }
};

// One tile of a bag; the number of its rows. With Fetches it prefetches what it will read of the rows ahead.
template <template <typename, int, int> class Reducer, typename T, int Count, int Width, bool Converts, bool Fetches>
int64_t tile(const bags& b, int64_t bag, int64_t column, T* out) {
  constexpr int64_t ahead = 16, bytes = Count * Width * int64_t(sizeof(T)) / (Converts ? 2 : 1);
  Reducer<T, Count, Width> reducer(b);
  row_reader<T, Converts> table(b, column, Count * Width);
  const int64_t* const index = b.index;
  const int64_t end = b.end_of(bag), last = b.indices - 1, skipped = b.skipped;
  int64_t added = 0;
  for (int64_t i = b.offset[bag]; i < end; ++i) {
    if constexpr (Fetches) {
      const char* const next = table.first + index[i + ahead < last ? i + ahead : last] * table.pitch;
#pragma clang loop unroll(full)
      for (int64_t byte = 0; byte < bytes; byte += 64) __builtin_prefetch(next + byte);
    }
    if (index[i] == skipped) continue;
    reducer.add(table.at(index[i]), i, index[i], added == 0);
    ++added;
  }
  reducer.finish(b, bag * b.columns + column, added, out);
  return added;
}

template <template <typename, int, int> class Reducer, typename T>
class bag_rows {
 public:
  explicit bag_rows(const bags& b)
      : b_(b),
        narrow_(b.call.row[0].dtype == b.call.compute ? nullptr : conversion(b.call.row[0].dtype, b.call.compute)),
        fetches_(b.call.row[b.first].length > most_held) {}

  void reduce(int64_t bag) {
    constexpr int most = most_columns * 4 / int(sizeof(T)) / 16;
    if (b_.columns < 16) return few_columns<8>(bag);
    for (int64_t column = 0; column < b_.columns;) {
      const int64_t rest = (b_.columns - column + 15) / 16, whole = b_.columns / 16;
      column += 16 * some_columns<most>(bag, column, rest < whole ? rest : whole);
    }
  }

 private:
  // The last tile overlaps its neighbour rather than being narrower: elements computed twice are equal.
  template <int Count>
  int some_columns(int64_t bag, int64_t column, int64_t wanted) {
    if constexpr (Count > 1) {
      if (wanted < Count) return some_columns<Count - 1>(bag, column, wanted);
    }
    const int64_t last = b_.columns - Count * 16;
    one_tile<Count, 16>(bag, column < last ? column : last);
    return Count;
  }
  template <int Width>
  void few_columns(int64_t bag) {
    if constexpr (Width == 1) {
      if (b_.columns == 0) return count(bag);
    } else {
      if (b_.columns < Width) return few_columns<Width / 2>(bag);
    }
    int64_t column = 0;
    for (; column + Width <= b_.columns; column += Width) one_tile<1, Width>(bag, column);
    if (column < b_.columns) one_tile<1, Width>(bag, b_.columns - Width);
  }

  template <int Count, int Width>
  void one_tile(int64_t bag, int64_t column) {
    const tb_row_operand& out = b_.call.row[0];
    char* const to = static_cast<char*>(out.data) + (bag * b_.columns + column) * element_bytes[out.dtype];
    T line[Count * Width];
    if (narrow_ == nullptr) {
      T* const whole = reinterpret_cast<T*>(to);
      sizes()[bag] = fetches_ ? tile<Reducer, T, Count, Width, false, true>(b_, bag, column, whole)
                              : tile<Reducer, T, Count, Width, false, false>(b_, bag, column, whole);
    } else {
      sizes()[bag] = tile<Reducer, T, Count, Width, true, true>(b_, bag, column, line);
      narrow_(to, 1, line, 1, Count * Width);
    }
  }

  void count(int64_t bag) {
    int64_t added = 0;
    for (int64_t i = b_.offset[bag]; i < b_.end_of(bag); ++i) added += b_.index[i] != b_.skipped;
    sizes()[bag] = added;
  }
  int64_t* sizes() const { return static_cast<int64_t*>(b_.call.row[1].data); }

  static constexpr int64_t most_held = 64 * 1024;  // elements of a table that stays in the second cache

  const bags& b_;
  convert_fn narrow_;
  bool fetches_;
};

template <template <typename, int, int> class Reducer, typename T>
void reduce_part(const bags& b, int64_t first, int64_t last) {
  bag_rows<Reducer, T> rows(b);
  for (int64_t bag = first; bag < last; ++bag) rows.reduce(bag);
}

}  // namespace

tb_status reduce_bags(const tb_rowwise& call) {
  if (call.compute != TB_F32 && call.compute != TB_F64) return TB_UNSUPPORTED_DTYPE;
  const bags b(call);
  const tb_status status = check(b, call.number[2].i);
  if (status != TB_OK) return status;
  const int64_t work = (b.indices + b.count) * (b.columns > 0 ? b.columns : 1);
  if (b.count == 0) return TB_OK;
  const bool weighted = call.op == TB_BAG_SUM && call.row[5].data != nullptr, single = call.compute == TB_F32;
  const auto reduce = call.op == TB_BAG_MAX ? (single ? reduce_part<maxima, float> : reduce_part<maxima, double>)
                      : weighted ? (single ? reduce_part<weighted_sums, float> : reduce_part<weighted_sums, double>)
                                 : (single ? reduce_part<sums, float> : reduce_part<sums, double>);
  each_row_part(b.count, work / parallel_grain + 1,
                [&](int64_t, int64_t first, int64_t last) { reduce(b, first, last); });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
