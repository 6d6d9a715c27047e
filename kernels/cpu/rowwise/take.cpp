// Index select, index put and index add of whole rows; rows that are only moved are copied as bytes.
#include <type_traits>

#include "elementwise/for_each_row.h"
#include "half.h"
#include "layout.h"
#include "threads/parallel.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

using tb_kernel::bfloat16;
using tb_kernel::half;

bool indices_fit(const tb_take& call) {
  for (int64_t i = 0; i < call.count; ++i) {
    for (int32_t d = 0; d < call.indices; ++d) {
      const int64_t at = call.index[d][i], length = call.length[d];
      if (at < length && at >= (call.wraps != 0 ? -length : 0)) continue;
      if (call.bad_index != nullptr) call.bad_index[0] = at, call.bad_index[1] = d;
      return false;
    }
  }
  return true;
}

int64_t positions_of(const tb_take& call) {
  int64_t positions = 1;
  for (int32_t d = 0; d < call.indices; ++d) positions *= call.length[d];
  return positions;
}
int64_t position_of(const tb_take& call, int64_t i) {
  int64_t position = 0;
  for (int32_t d = 0; d < call.indices; ++d) {
    const int64_t at = call.index[d][i];
    position = position * call.length[d] + (at < 0 ? at + call.length[d] : at);
  }
  return position;
}

// Calls visit(row, position, later) for the rows first to last - 1, in units of `inner` elements: `position` is the
// row's index in the table, and `later` that of a row some rows ahead, for prefetching.
template <typename Visit>
void each_pair(const tb_take& call, int64_t first, int64_t last, Visit visit) {
  constexpr int64_t ahead = 4;
  const int64_t positions = positions_of(call);
  while (first < last) {
    const int64_t o = first / call.count, begin = first - o * call.count;
    const int64_t end = call.count - begin < last - first ? call.count : begin + last - first;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t later = i + ahead < call.count ? i + ahead : i;
      visit(o * call.count + i, o * positions + position_of(call, i), o * positions + position_of(call, later));
    }
    first += end - begin;
  }
}

// For reads, rows may be processed in any order: tasks are runs of rows.
template <typename Visit>
void each_pair_in_parts(const tb_take& call, Visit visit) {
  const int64_t rows = call.outer * call.count, some = (parallel_grain + call.inner - 1) / call.inner;
  each_part((rows + some - 1) / some, [&](int64_t part) {
    each_pair(call, part * some, rows - part * some < some ? rows : (part + 1) * some, visit);
  });
}

// For writes, equal indices must be processed in order: each task writes its own range of the table.
template <typename Visit>
void each_position_in_parts(const tb_take& call, Visit visit) {
  constexpr int64_t most_parts = 8, long_row = 256;  // every task reads all indices, which pays only for long rows
  const int64_t rows = call.outer * call.count, positions = call.outer * positions_of(call);
  if (rows == 0) return;
  const int64_t wanted = rows * call.inner / parallel_grain + 1;
  const int64_t parts = wanted < most_parts ? wanted : most_parts;
  if (parts == 1 || call.inner < long_row || threads() == 1) return each_pair(call, 0, rows, visit);
  const int64_t some = (positions + parts - 1) / parts;
  each_part(parts, [&](int64_t part) {
    const int64_t first = part * some, end = first + some;
    each_pair(call, 0, rows, [&](int64_t row, int64_t position, int64_t later) {
      if (position >= first && position < end) visit(row, position, later);
    });
  });
}

template <typename Bytes>
void move_elements(const tb_take& call) {
  Bytes *const rows = static_cast<Bytes*>(call.rows), *const table = static_cast<Bytes*>(call.table);
  if (call.op == TB_TAKE) {
    each_pair_in_parts(call, [=](int64_t row, int64_t position, int64_t) { rows[row] = table[position]; });
  } else {
    each_position_in_parts(call, [=](int64_t row, int64_t position, int64_t) { table[position] = rows[row]; });
  }
}

void move_rows(const tb_take& call) {
  char *const rows = static_cast<char*>(call.rows), *const table = static_cast<char*>(call.table);
  const int64_t bytes = call.inner * element_bytes[call.dtype];
  if (call.op == TB_TAKE) {
    each_pair_in_parts(call, [=](int64_t row, int64_t position, int64_t later) {
      const char* const next = table + later * bytes;
      __builtin_prefetch(next);
      if (bytes > 64) __builtin_prefetch(next + 64);
      __builtin_memcpy(rows + row * bytes, table + position * bytes, static_cast<size_t>(bytes));
    });
  } else {
    each_position_in_parts(call, [=](int64_t row, int64_t position, int64_t) {
      __builtin_memcpy(table + position * bytes, rows + row * bytes, static_cast<size_t>(bytes));
    });
  }
}

void move(const tb_take& call) {
  if (call.inner == 0) return;
  if (call.inner != 1) return move_rows(call);
  switch (element_bytes[call.dtype]) {
    case 1: return move_elements<uint8_t>(call);
    case 2: return move_elements<uint16_t>(call);
    case 4: return move_elements<uint32_t>(call);
    default: return move_elements<uint64_t>(call);
  }
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
  each_position_in_parts(call, [=, &call](int64_t row, int64_t position, int64_t) {
    const T* const from = rows + row * call.inner;
    T* const to = table + position * call.inner;
    for (int64_t i = 0; i < call.inner; ++i) to[i] = sum(to[i], from[i]);
  });
}

}  // namespace

tb_status take(const tb_take* call, const tb_call*) {
  if (!indices_fit(*call)) return TB_BAD_INDEX;
  if (call->op == TB_CHECK) return TB_OK;
  if (call->op != TB_PUT_ADD) {
    move(*call);
    return TB_OK;
  }
  using add_fn = void (*)(const tb_take&);
  constexpr add_fn all[TB_DTYPE_COUNT] = {add<boolean>, add<uint8_t>, add<int8_t>,   add<int16_t>, add<int32_t>,
                                          add<int64_t>, add<half>,    add<bfloat16>, add<float>,   add<double>};
  all[call->dtype](*call);
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
