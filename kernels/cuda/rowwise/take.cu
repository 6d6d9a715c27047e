// index and index_put: copies or adds rows of a table by index. Rows are moved in units as wide as alignment allows,
// one per thread, so that accesses are coalesced.
//
// If several rows are put to one position, the last one wins: find_last_rows determines it before rows are moved.
// Rows are added by atomic operations, or in deterministic mode in order, after sorting them by position.
#include "elementwise/atomic_add.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/report.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

constexpr int64_t narrow_limit = INT64_C(0x80000000);

struct picking {
  const int64_t* index[TB_MAX_DIMS];
  int64_t length[TB_MAX_DIMS];
  int64_t outer, count, positions;
  int32_t indices;
  bool wraps;

  // The linear position in the table of a row; -1 if an index is out of range.
  __device__ int64_t position(int64_t row) const {
    int64_t at = 0;
    for (int d = 0; d < indices; ++d) {
      const int64_t given = index[d][row], i = wraps && given < 0 ? given + length[d] : given;
      if (i < 0 || i >= length[d]) return -1;
      at = at * length[d] + i;
    }
    return at;
  }
  // The same, with a report of the index out of range.
  __device__ int64_t position(int64_t row, const reporter& report) const {
    int64_t at = 0;
    for (int d = 0; d < indices; ++d) {
      const int64_t i = report.index(index[d][row], length[d], wraps, d);
      if (i < 0) return -1;
      at = at * length[d] + i;
    }
    return at;
  }
};

// Splits the linear index of a unit into unit of a row, row, and outer repetition.
struct splitter {
  int64_t units, count;
  bool narrow;
  divider by_units, by_count;

  splitter(int64_t outer, int64_t count, int64_t units)
      : units(units),
        count(count),
        narrow(outer * count * units < narrow_limit),
        by_units(narrow ? uint32_t(units) : 1),
        by_count(narrow ? uint32_t(count) : 1) {}

  __device__ void operator()(int64_t i, int64_t& outer, int64_t& row, int64_t& unit) const {
    if (narrow) {
      const uint32_t line = by_units.quotient(uint32_t(i)), whole = by_count.quotient(line);
      unit = uint32_t(i) - line * by_units.divisor;
      row = line - whole * by_count.divisor;
      outer = whole;
    } else {
      unit = i % units;
      row = i / units % count;
      outer = i / units / count;
    }
  }
};

struct alignas(16) bytes16 {
  uint64_t at[2];
};

template <typename Unit>
__global__ void take_rows(picking p, splitter split, Unit* rows, const Unit* table, reporter report) {
  const int64_t all = p.outer * p.count * split.units;
  for (int64_t i = first_index(); i < all; i += index_step()) {
    int64_t outer, row, unit;
    split(i, outer, row, unit);
    const int64_t position = p.position(row, report);
    if (position >= 0) rows[i] = table[(outer * p.positions + position) * split.units + unit];
  }
}

__global__ void check_indices(picking p, reporter report) {
  for (int64_t i = first_index(); i < p.count; i += index_step()) p.position(i, report);
}

// The last row of each position. Only the positions in use are initialized; no others are read.
template <typename Row>
__global__ void forget_rows(picking p, Row* last, reporter report) {
  for (int64_t i = first_index(); i < p.count; i += index_step()) {
    const int64_t position = p.position(i, report);
    if (position >= 0) last[position] = -1;
  }
}
template <typename Row>
__global__ void find_last_rows(picking p, Row* last) {
  for (int64_t i = first_index(); i < p.count; i += index_step()) {
    const int64_t position = p.position(i);
    if (position >= 0) atomicMax(last + position, Row(i));
  }
}
template <typename Unit, typename Row>
__global__ void put_rows(picking p, splitter split, const Unit* rows, Unit* table, const Row* last) {
  const int64_t all = p.outer * p.count * split.units;
  for (int64_t i = first_index(); i < all; i += index_step()) {
    int64_t outer, row, unit;
    split(i, outer, row, unit);
    const int64_t position = p.position(row);
    if (position >= 0 && last[position] == Row(row))
      table[(outer * p.positions + position) * split.units + unit] = rows[i];
  }
}

template <typename E>
__global__ void add_rows(picking p, splitter split, const E* rows, E* table, reporter report) {
  const int64_t all = p.outer * p.count * split.units;
  for (int64_t i = first_index(); i < all; i += index_step()) {
    int64_t outer, row, unit;
    split(i, outer, row, unit);
    const int64_t position = p.position(row, report);
    if (position >= 0) atomic_add(table + (outer * p.positions + position) * split.units + unit, rows[i]);
  }
}

// A row and its position. Position -1 sorts last: rows out of range, and the padding to a power of two.
struct placed_row {
  int64_t position, row;

  __device__ bool before(const placed_row& other) const {
    return position != other.position ? uint64_t(position) < uint64_t(other.position) : row < other.row;
  }
};

__global__ void list_rows(picking p, placed_row* list, int64_t room, reporter report) {
  for (int64_t i = first_index(); i < room; i += index_step()) {
    list[i] = {i < p.count ? p.position(i, report) : -1, i};
  }
}

// One step of a bitonic sort (Batcher, 1968): compare-exchange of elements `distance` apart, ascending or descending
// in alternating runs of `run` elements.
__device__ void put_in_order(placed_row& a, placed_row& b, bool upwards) {
  if (b.before(a) != upwards) return;
  const placed_row was = a;
  a = b;
  b = was;
}
__global__ void sort_step(placed_row* list, int64_t room, int64_t run, int64_t distance) {
  for (int64_t i = first_index(); i < room / 2; i += index_step()) {
    const int64_t low = i / distance * 2 * distance + i % distance;
    put_in_order(list[low], list[low + distance], (low & run) == 0);
  }
}

// All steps of the runs first_run to last_run whose distance is within a block's elements.
constexpr int64_t block_list = 2 * block_threads;
__global__ void sort_in_blocks(placed_row* list, int64_t first_run, int64_t last_run) {
  __shared__ placed_row mine[block_list];
  const int64_t base = int64_t(blockIdx.x) * block_list;
  for (int i = 0; i < 2; ++i) mine[threadIdx.x + i * block_threads] = list[base + threadIdx.x + i * block_threads];
  __syncthreads();
  for (int64_t run = first_run; run <= last_run; run *= 2) {
    for (int distance = int(run / 2 < block_list / 2 ? run / 2 : block_list / 2); distance > 0; distance /= 2) {
      const int low = int(threadIdx.x) / distance * 2 * distance + int(threadIdx.x) % distance;
      put_in_order(mine[low], mine[low + distance], ((base + low) & run) == 0);
      __syncthreads();
    }
  }
  for (int i = 0; i < 2; ++i) list[base + threadIdx.x + i * block_threads] = mine[threadIdx.x + i * block_threads];
}

// One thread adds, in order, all rows of a position for one unit: the thread of the position's first list entry.
template <typename E>
__global__ void add_sorted(picking p, splitter split, const placed_row* list, const E* rows, E* table) {
  const int64_t all = p.outer * p.count * split.units;
  for (int64_t i = first_index(); i < all; i += index_step()) {
    int64_t outer, at, unit;
    split(i, outer, at, unit);
    const int64_t position = list[at].position;
    if (position < 0 || (at > 0 && list[at - 1].position == position)) continue;
    E* const to = table + (outer * p.positions + position) * split.units + unit;
    E sum = *to;
    for (; at < p.count && list[at].position == position; ++at) {
      sum = sum_of_elements(sum, rows[(outer * p.count + list[at].row) * split.units + unit]);
    }
    *to = sum;
  }
}

picking described(const tb_take& c) {
  picking p{};
  p.outer = c.outer;
  p.count = c.count;
  p.indices = c.indices;
  p.wraps = c.wraps != 0;
  p.positions = 1;
  for (int32_t d = 0; d < c.indices; ++d) {
    p.index[d] = c.index[d];
    p.length[d] = c.length[d];
    p.positions *= c.length[d];
  }
  return p;
}

// Calls f(element_type<Unit>()) with the widest unit that both sides are aligned to.
template <typename F>
tb_status with_unit(const tb_take& c, F f) {
  const uint64_t bytes = uint64_t(c.inner) * uint64_t(bytes_of[c.dtype]);
  const uint64_t together = bytes | reinterpret_cast<uintptr_t>(c.rows) | reinterpret_cast<uintptr_t>(c.table);
  if (together % 16 == 0) return f(element_type<bytes16>());
  if (together % 8 == 0) return f(element_type<uint64_t>());
  if (together % 4 == 0) return f(element_type<uint32_t>());
  if (together % 2 == 0) return f(element_type<uint16_t>());
  return f(element_type<uint8_t>());
}

template <typename Unit>
splitter splitter_of(const tb_take& c) {
  return {c.outer, c.count, c.inner * bytes_of[c.dtype] / int64_t(sizeof(Unit))};
}

template <typename Row>
tb_status put(const scope& on, const tb_take& c, const picking& p) {
  const temporary memory(on, uint64_t(p.positions) * sizeof(Row));
  if (memory.status() != TB_OK) return memory.status();
  Row* const last = memory.as<Row>();
  tb_status status = launch_over(on, "index_put", p.count, &forget_rows<Row>, p, last, report_for(on));
  if (status == TB_OK) status = launch_over(on, "index_put", p.count, &find_last_rows<Row>, p, last);
  if (status != TB_OK) return status;
  return with_unit(c, [&]<typename Unit>(element_type<Unit>) {
    const splitter split = splitter_of<Unit>(c);
    return launch_over(on, "index_put", c.outer * c.count * split.units, &put_rows<Unit, Row>, p, split,
                       static_cast<const Unit*>(c.rows), static_cast<Unit*>(c.table), static_cast<const Row*>(last));
  });
}

// Builds the list, sorted by position, then by row.
tb_status sort_rows(const scope& on, const picking& p, placed_row* list, int64_t room) {
  tb_status status = launch_over(on, "index_put", room, &list_rows, p, list, room, report_for(on));
  const unsigned blocks = unsigned(room / block_list);
  const auto in_blocks = [&](int64_t first_run, int64_t last_run) {
    return launch(on, "index_put", &sort_in_blocks, blocks, block_threads, 0, list, first_run, last_run);
  };
  if (status == TB_OK) status = in_blocks(2, block_list);
  for (int64_t run = 2 * block_list; run <= room && status == TB_OK; run *= 2) {
    for (int64_t distance = run / 2; distance >= block_list && status == TB_OK; distance /= 2) {
      status = launch_over(on, "index_put", room / 2, &sort_step, list, room, run, distance);
    }
    if (status == TB_OK) status = in_blocks(run, run);
  }
  return status;
}

tb_status add_in_order(const scope& on, const tb_take& c, const picking& p) {
  int64_t room = block_list;
  while (room < c.count) room *= 2;
  const temporary memory(on, uint64_t(room) * sizeof(placed_row));
  if (memory.status() != TB_OK) return memory.status();
  placed_row* const list = memory.as<placed_row>();
  const tb_status status = sort_rows(on, p, list, room);
  if (status != TB_OK) return status;
  return with_element(c.dtype, [&]<typename E>(element_type<E>) {
    const splitter split(c.outer, c.count, c.inner);
    return launch_over(on, "index_put", c.outer * c.count * c.inner, &add_sorted<E>, p, split,
                       static_cast<const placed_row*>(list), static_cast<const E*>(c.rows), static_cast<E*>(c.table));
  });
}

tb_status add(const scope& on, const tb_take& c, const picking& p) {
  // Integer sums do not depend on the order.
  const bool rounds = c.dtype >= TB_F16;
  if (rounds && deterministic()) return add_in_order(on, c, p);
  return with_element(c.dtype, [&]<typename E>(element_type<E>) {
    const splitter split(c.outer, c.count, c.inner);
    return launch_over(on, "index_put", c.outer * c.count * c.inner, &add_rows<E>, p, split,
                       static_cast<const E*>(c.rows), static_cast<E*>(c.table), report_for(on));
  });
}

}  // namespace

tb_status take(const tb_take* call, const tb_call* where) {
  const tb_take& c = *call;
  if (c.count <= 0) return TB_OK;
  const scope on(c.index[0], where);
  if (on.status() != TB_OK) return on.status();
  const picking p = described(c);
  if (c.op == TB_CHECK || c.outer <= 0 || c.inner <= 0 || p.positions <= 0) {
    return launch_over(on, "index", c.count, &check_indices, p, report_for(on));
  }
  if (c.op == TB_PUT_ADD) return add(on, c, p);
  if (c.op == TB_PUT) return c.count < narrow_limit ? put<int>(on, c, p) : put<long long>(on, c, p);
  return with_unit(c, [&]<typename Unit>(element_type<Unit>) {
    const splitter split = splitter_of<Unit>(c);
    return launch_over(on, "index", c.outer * c.count * split.units, &take_rows<Unit>, p, split,
                       static_cast<Unit*>(c.rows), static_cast<const Unit*>(c.table), report_for(on));
  });
}

}  // namespace tb_cuda
