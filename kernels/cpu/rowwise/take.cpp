// Index select, index put and index add of whole rows; rows that are only moved are copied as bytes.
#include <type_traits>

#include "elementwise/copy_row.h"
#include "elementwise/for_each_row.h"
#include "elementwise/write_blocks.h"
#include "half.h"
#include "layout.h"
#include "rowwise/index_range.h"
#include "rowwise/rowwise.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::bfloat16;
using tb_kernel::half;

bool indices_fit(const tb_take& call) {
  bool fit = true;
  for (int32_t d = 0; d < call.indices; ++d) {
    const int64_t length = call.length[d];
    fit = fit && indices_within(call.index[d], call.count, call.wraps != 0 ? -length : 0, length);
  }
  if (fit) return true;
  for (int64_t i = 0; i < call.count; ++i) {
    for (int32_t d = 0; d < call.indices; ++d) {
      const int64_t at = call.index[d][i], length = call.length[d];
      if (at < length && at >= (call.wraps != 0 ? -length : 0)) continue;
      if (call.bad_index != nullptr) call.bad_index[0] = at, call.bad_index[1] = d;
      return false;
    }
  }
  return false;
}

int64_t positions_of(const tb_take& call) {
  int64_t positions = 1;
  for (int32_t d = 0; d < call.indices; ++d) positions *= call.length[d];
  return positions;
}

// The positions in the table, without its outer dimension, that `count` indices stand for: in `buffer`, unless they
// are the indices.
const int64_t* positions_at(const tb_take& call, int64_t first, int64_t count, int64_t* buffer) {
  if (call.indices == 1 && call.wraps == 0) return call.index[0] + first;
  for (int32_t d = 0; d < call.indices; ++d) {
    const int64_t* const index = call.index[d] + first;
    const int64_t length = call.length[d];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = index[i] < 0 ? index[i] + length : index[i];
      buffer[i] = d == 0 ? at : buffer[i] * length + at;
    }
  }
  return buffer;
}

// Calls visit(row, begin, base, positions, count) for blocks of the rows first to last - 1, whose indices are those
// from `begin` on: rows from `row` on are at base + positions[i] in the table, in units of `inner` elements.
template <typename Visit>
void each_block(const tb_take& call, int64_t first, int64_t last, Visit visit) {
  if (first >= last) return;
  int64_t buffer[index_block];
  const int64_t positions = positions_of(call), o = first / call.count;
  int64_t base = o * positions, begin = first - o * call.count;
  while (first < last) {
    const int64_t rest = call.count - begin < last - first ? call.count - begin : last - first;
    const int64_t some = rest < index_block ? rest : index_block;
    visit(first, begin, base, positions_at(call, begin, some, buffer), some);
    first += some;
    begin += some;
    if (begin == call.count) begin = 0, base += positions;
  }
}

// For reads, rows may be processed in any order: tasks are runs of rows. A task that streams ends its stream.
template <typename Visit>
void each_block_in_parts(const tb_take& call, bool streams, Visit visit) {
  const int64_t rows = call.outer * call.count;
  const int64_t some = (parallel_grain + call.inner - 1) / (call.inner > 0 ? call.inner : 1);
  each_part((rows + some - 1) / some, [&](int64_t part) {
    each_block(call, part * some, rows - part * some < some ? rows : (part + 1) * some, visit);
    if (streams) end_stream();
  });
}

// Calls visit(row, position, later) for rows: `position` is that of the row in the table, and `later` that of a row
// some rows ahead, for prefetching.
template <typename Visit>
void each_pair(const tb_take& call, int64_t first, int64_t last, Visit visit) {
  constexpr int64_t ahead = 4;
  each_block(call, first, last, [&](int64_t row, int64_t, int64_t base, const int64_t* position, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      visit(row + i, base + position[i], base + position[i + ahead < count ? i + ahead : i]);
    }
  });
}

// For writes, equal indices must be processed in order: each task writes its own range of the table.
template <typename Visit>
void each_position_in_parts(const tb_take& call, Visit visit) {
  constexpr int64_t most_parts = 16, long_row = 64;  // every task reads all indices, which pays only for long rows
  const int64_t rows = call.outer * call.count, positions = call.outer * positions_of(call);
  if (rows == 0) return;
  int64_t parts = rows * call.inner / parallel_grain + 1;
  if (parts > threads()) parts = threads();
  if (parts > most_parts) parts = most_parts;
  if (call.outer >= parts) {
    const int64_t some = (call.outer + parts - 1) / parts;
    return each_part(parts, [&](int64_t part) {
      const int64_t first = part * some < call.outer ? part * some : call.outer;
      const int64_t last = call.outer - first < some ? call.outer : first + some;
      each_pair(call, first * call.count, last * call.count, visit);
    });
  }
  if (call.inner < long_row) return each_pair(call, 0, rows, visit);
  const int64_t some = (positions + parts - 1) / parts;
  each_part(parts, [&](int64_t part) {
    const int64_t first = part * some, end = first + some;
    each_pair(call, 0, rows, [&](int64_t row, int64_t position, int64_t later) {
      if (position >= first && position < end) visit(row, position, later);
    });
  });
}

template <typename Bytes>
void take_elements(const tb_take& call) {
  Bytes* const rows = static_cast<Bytes*>(call.rows);
  const Bytes* const table = static_cast<const Bytes*>(call.table);
  const int64_t positions = positions_of(call), rows_of = call.outer * call.count;
  const bool streams = passes_cache((rows_of + call.outer * positions) * int64_t(sizeof(Bytes)));
  each_block_in_parts(call, streams,
                      [=, &call](int64_t row, int64_t begin, int64_t base, const int64_t* position, int64_t count) {
                        const Bytes* const from = table + base;
                        const bool is_last = row - begin + call.count == rows_of;
                        if (!is_last) prefetch_share(from + positions, positions, begin, begin + count, call.count);
                        write_blocks(rows + row, count, streams, [=](int64_t first, int64_t some, Bytes* out) {
                          for (int64_t i = 0; i < some; ++i) out[i] = from[position[first + i]];
                        });
                      });
}

template <typename Bytes>
void put_elements(const tb_take& call) {
  const Bytes* const rows = static_cast<const Bytes*>(call.rows);
  Bytes* const table = static_cast<Bytes*>(call.table);
  each_position_in_parts(call, [=](int64_t row, int64_t position, int64_t) { table[position] = rows[row]; });
}

// The first lines of a row that is accessed some rows later; the processor itself prefetches the next ones.
void prefetch_row(const char* row, int64_t bytes) {
  __builtin_prefetch(row);
  if (bytes > 64) __builtin_prefetch(row + 64);
}

void take_rows(const tb_take& call) {
  char* const rows = static_cast<char*>(call.rows);
  const char* const table = static_cast<const char*>(call.table);
  const int64_t bytes = call.inner * element_bytes[call.dtype];
  const bool lines = (reinterpret_cast<uintptr_t>(rows) | uintptr_t(bytes)) % 64 == 0;
  const bool streams = lines && passes_cache(2 * call.outer * call.count * bytes);
  each_block_in_parts(call, streams, [=](int64_t row, int64_t, int64_t base, const int64_t* position, int64_t count) {
    constexpr int64_t ahead = 4;
    for (int64_t i = 0; i < count; ++i) {
      prefetch_row(table + (base + position[i + ahead < count ? i + ahead : i]) * bytes, bytes);
      char* const to = rows + (row + i) * bytes;
      const char* const from = table + (base + position[i]) * bytes;
      streams ? stream(to, from, bytes) : copy_row(to, from, bytes);
    }
  });
}

void put_rows(const tb_take& call) {
  const char* const rows = static_cast<const char*>(call.rows);
  char* const table = static_cast<char*>(call.table);
  const int64_t bytes = call.inner * element_bytes[call.dtype];
  each_position_in_parts(call, [=](int64_t row, int64_t position, int64_t later) {
    prefetch_row(table + later * bytes, bytes);
    copy_row(table + position * bytes, rows + row * bytes, bytes);
  });
}

using loop_of = void (*)(const tb_take&);

void take_all(const tb_take& call) {
  if (call.inner != 1) return take_rows(call);
  by_bytes<loop_of>(call.dtype, take_elements<uint8_t>, take_elements<uint16_t>, take_elements<uint32_t>,
                    take_elements<uint64_t>)(call);
}

void put_all(const tb_take& call) {
  if (call.inner != 1) return put_rows(call);
  by_bytes<loop_of>(call.dtype, put_elements<uint8_t>, put_elements<uint16_t>, put_elements<uint32_t>,
                    put_elements<uint64_t>)(call);
}

// Integers wrap by unsigned arithmetic, as signed overflow is undefined.
template <typename T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, boolean>)
    return {uint8_t(a.value | b.value)};
  else if constexpr (std::is_same_v<T, half>)
    return tb_kernel::to_half(tb_kernel::to_float(a) + tb_kernel::to_float(b));
  else if constexpr (std::is_same_v<T, bfloat16>)
    return tb_kernel::to_bfloat16(tb_kernel::to_float(a) + tb_kernel::to_float(b));
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}

template <typename T>
void add(const tb_take& call) {
  const T* const rows = static_cast<const T*>(call.rows);
  T* const table = static_cast<T*>(call.table);
  each_position_in_parts(call, [=, &call](int64_t row, int64_t position, int64_t later) {
    prefetch_row(reinterpret_cast<const char*>(table + later * call.inner), call.inner * int64_t(sizeof(T)));
    const T* const from = rows + row * call.inner;
    T* const to = table + position * call.inner;
    for (int64_t i = 0; i < call.inner; ++i) to[i] = sum(to[i], from[i]);
  });
}

}  // namespace

tb_status take(const tb_take* call, const tb_call*) {
  // Nothing is written unless all indices are in range.
  if (!indices_fit(*call)) return TB_BAD_INDEX;
  if (call->op == TB_CHECK || call->inner == 0) return TB_OK;
  if (call->op != TB_PUT_ADD) {
    call->op == TB_TAKE ? take_all(*call) : put_all(*call);
    return TB_OK;
  }
  constexpr loop_of all[TB_DTYPE_COUNT] = {add<boolean>, add<uint8_t>, add<int8_t>,   add<int16_t>, add<int32_t>,
                                           add<int64_t>, add<half>,    add<bfloat16>, add<float>,   add<double>};
  all[call->dtype](*call);
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
