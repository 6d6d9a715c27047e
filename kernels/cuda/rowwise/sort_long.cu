// Sorts of long rows, many rows at once: the sort key combines row number and element key. If both do not fit into
// 64 bits, a sort by key is followed by a stable sort by row.
#include "rowwise/sort.cuh"

#include "rowwise/sort_pairs.cuh"

namespace tb_cuda {
namespace {

// Approximate number of elements sorted together, which bounds the temporary memory.
constexpr int64_t group_elements = int64_t(1) << 26;

// A group of consecutive rows: element t of the group is element first * length + t of all rows.
struct group {
  int64_t first, rows, elements;
  divider by_length;

  group(int64_t first_row, int64_t count, int64_t length) : first(first_row), rows(count), elements(count * length) {
    by_length = divider(count > 1 ? uint32_t(length) : 1);
  }
  // A group of several rows has fewer than 2^31 elements, so the divider applies.
  __device__ int64_t row_of(int64_t t) const { return rows == 1 ? 0 : by_length.quotient(uint32_t(t)); }
};

template <typename Key, typename Value>
__global__ void make_keys(sorted_rows_of rows, group g, bool with_row, Key* keys, Value* values) {
  for (int64_t t = first_index(); t < g.elements; t += index_step()) {
    const int64_t r = g.row_of(t);
    int64_t row[3];
    rows.batch.at(g.first + r, row);
    Key key = key_at<Key>(rows, row[1] + (t - r * rows.length) * rows.in_step);
    if (with_row && r > 0) key |= Key(Key(r) << rows.bits);
    keys[t] = key;
    values[t] = Value(t);
  }
}

__global__ void make_row_numbers(group g, const uint32_t* values, uint32_t* numbers) {
  for (int64_t t = first_index(); t < g.elements; t += index_step()) numbers[t] = uint32_t(g.row_of(values[t]));
}

// values[i] - before: the original index of the element of rank i.
template <typename Value>
struct ordered_row {
  const sorted_rows_of& rows;
  const Value* values;
  int64_t before, at;
  __device__ int64_t index(int64_t i) const { return int64_t(values[i]) - before; }
  __device__ uint64_t key(int64_t i) const { return key_at<uint64_t>(rows, at + index(i) * rows.in_step); }
};

template <typename Value>
__global__ void write_first(sorted_rows_of rows, group g, divider by_results, const Value* values) {
  for (int64_t t = first_index(); t < g.rows * rows.results; t += index_step()) {
    const int64_t r = g.rows == 1 ? 0 : by_results.quotient(uint32_t(t)), i = t - r * rows.results;
    int64_t row[3];
    rows.batch.at(g.first + r, row);
    write_result(rows, row, i, int64_t(values[r * rows.length + i]) - r * rows.length);
  }
}

constexpr int chosen_threads = 1024;

template <typename Value>
__global__ void __launch_bounds__(chosen_threads) write_chosen(sorted_rows_of rows, group g, const Value* values) {
  __shared__ int64_t most[chosen_threads], rank[chosen_threads];
  const int thread = int(threadIdx.x);
  for (int64_t r = blockIdx.x; r < g.rows; r += gridDim.x) {
    int64_t row[3];
    rows.batch.at(g.first + r, row);
    const ordered_row<Value> sorted{rows, values + r * rows.length, r * rows.length, row[1]};
    if (rows.op != TB_MODE) {
      if (thread == 0) write_result(rows, row, 0, sorted.index(rank_of(rows, sorted)));
      continue;
    }
    int64_t times = 0, at = 0;
    for (int64_t i = thread; i < rows.length; i += chosen_threads) {
      const int64_t here = occurrences(rows, sorted, i);
      if (here > times) times = here, at = i;
    }
    __syncthreads();
    most[thread] = times;
    rank[thread] = at;
    __syncthreads();
    for (int half = chosen_threads / 2; half > 0; half /= 2) {
      if (thread < half) {
        const int64_t other = most[thread + half], other_rank = rank[thread + half];
        // Of equally frequent values the smallest wins.
        if (other > most[thread] || (other == most[thread] && other_rank < rank[thread])) {
          most[thread] = other;
          rank[thread] = other_rank;
        }
      }
      __syncthreads();
    }
    if (thread == 0) write_result(rows, row, 0, sorted.index(rank[0]));
  }
}

// Copies the rows to contiguous memory, as raw bytes.
template <typename Word>
__global__ void copy_rows(sorted_rows_of rows, Word* to) {
  for (int64_t t = first_index(); t < rows.batch.count * rows.length; t += index_step()) {
    const int64_t r = t / rows.length;
    int64_t row[3];
    rows.batch.at(r, row);
    to[t] = static_cast<const Word*>(rows.in)[row[1] + (t - r * rows.length) * rows.in_step];
  }
}

template <typename Key, typename Value>
tb_status sort_group(const sorted_rows_of& rows, const group& g, bool with_row, const scope& on) {
  const bool by_row_later = g.rows > 1 && !with_row;
  const temporary keys(on, uint64_t(g.elements) * sizeof(Key)), values(on, uint64_t(g.elements) * sizeof(Value));
  if (keys.status() != TB_OK) return keys.status();
  if (values.status() != TB_OK) return values.status();
  Value* const order = values.as<Value>();
  tb_status status =
      launch_over(on, "keys of a sort", g.elements, make_keys<Key, Value>, rows, g, with_row, keys.as<Key>(), order);
  if (status == TB_OK) status = sort_pairs(on, keys.as<Key>(), order, g.elements);
  if constexpr (sizeof(Value) == 4) {
    if (status == TB_OK && by_row_later) {
      uint32_t* const numbers = keys.as<uint32_t>();
      status = launch_over(on, "rows of a sort", g.elements, make_row_numbers, g, static_cast<const uint32_t*>(order),
                           numbers);
      if (status == TB_OK) status = sort_pairs(on, numbers, order, g.elements);
    }
  }
  if (status != TB_OK) return status;
  const Value* const in_order = order;
  if (rows.op == TB_SORT || rows.op == TB_TOPK) {
    const divider by_results(g.rows > 1 ? uint32_t(rows.results) : 1);
    return launch_over(on, "results of a sort", g.rows * rows.results, write_first<Value>, rows, g, by_results,
                       in_order);
  }
  return launch(on, "results of a sort", write_chosen<Value>, grid_for(g.rows, 1), chosen_threads, 0, rows, g,
                in_order);
}

tb_status sort_groups(const sorted_rows_of& rows, const scope& on) {
  const int64_t fit = group_elements / rows.length, count = fit < 1 ? 1 : fit;
  for (int64_t first = 0; first < rows.batch.count; first += count) {
    const int64_t left = rows.batch.count - first;
    const group g(first, left < count ? left : count, rows.length);
    int32_t row_bits = 0;
    while ((g.rows - 1) >> row_bits > 0) ++row_bits;
    const int32_t bits = rows.bits + row_bits;
    const tb_status status = g.elements > INT64_C(0x7fffffff) ? sort_group<uint64_t, uint64_t>(rows, g, false, on)
                             : bits <= 32                     ? sort_group<uint32_t, uint32_t>(rows, g, true, on)
                                                              : sort_group<uint64_t, uint32_t>(rows, g, bits <= 64, on);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

template <size_t Bytes>
using word =
    std::conditional_t<Bytes == 1, uint8_t,
                       std::conditional_t<Bytes == 2, uint16_t, std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;

}  // namespace

tb_status sort_long_rows(const sorted_rows_of& rows, const scope& on) {
  if (rows.out != rows.in) return sort_groups(rows, on);
  // In place: the sort gathers from a copy of the rows.
  const int64_t all = rows.batch.count * rows.length;
  const temporary copy(on, uint64_t(all) * 8);
  tb_status status = copy.status();
  if (status != TB_OK) return status;
  status = with_element(rows.in_dtype, [&](auto element) {
    using Word = word<sizeof(typename decltype(element)::type)>;
    return launch_over(on, "a copy of rows", all, copy_rows<Word>, rows, copy.as<Word>());
  });
  if (status != TB_OK) return status;
  sorted_rows_of from = rows;
  from.in = copy.data();
  from.in_step = 1;
  int64_t stride = rows.length;
  for (int d = 0; d < rows.batch.ndim; ++d) {
    from.batch.strides[1][d] = stride;
    stride *= rows.batch.sizes[d];
  }
  return sort_groups(from, on);
}

}  // namespace tb_cuda
