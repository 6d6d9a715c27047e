// Operations on whole rows: walks the batch, hands each row to the operation as it wants it, and writes rows back.
//
// A row that is dense in the type of the computation is handed over where it lies. Any other is converted into a buffer
// of the thread; what is read at a stride of 0 stays there from one position to the next.
#include "rowwise.h"

#include "convert.h"
#include "layout.h"
#include "scratch.h"
#include "walk.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

rows_loop loop_of(const tb_rowwise& call) {
  using source = rows_loop (*)(const tb_rowwise&);
  constexpr source sources[] = {softmax_rows, scan_rows, sort_rows, search_rows, index_rows, layer_rows, loss_rows};
  for (const source s : sources) {
    const rows_loop loop = s(call);
    if (loop.run != nullptr) return loop;
  }
  return {};
}

// Calls visit(addresses) at each position of the batch, until it returns false.
template <typename Visit>
bool each_batch(const tb_rowwise& call, Visit visit) {
  char* at[TB_MAX_ROWS] = {};
  int64_t index[TB_MAX_DIMS] = {};
  for (int d = 0; d < call.ndim; ++d) {
    if (call.sizes[d] <= 0) return true;
  }
  for (int k = 0; k < call.operands; ++k) at[k] = static_cast<char*>(call.row[k].data);
  const auto move = [&](int d, int64_t count) {
    for (int k = 0; k < call.operands; ++k) {
      if (at[k] != nullptr) at[k] += call.row[k].strides[d] * count * element_bytes[call.row[k].dtype];
    }
  };
  for (;;) {
    if (!visit(static_cast<char* const*>(at))) return false;
    int d = 0;
    for (; d < call.ndim; ++d) {
      if (++index[d] < call.sizes[d]) {
        move(d, 1);
        break;
      }
      index[d] = 0;
      move(d, 1 - call.sizes[d]);
    }
    if (d >= call.ndim) return true;
  }
}

bool indices_fit(const tb_rowwise& call, const rows_loop& loop) {
  if (call.row[loop.index].data == nullptr) return true;
  const tb_row_operand& row = call.row[loop.index];
  const int64_t range = call.row[loop.range].length;
  const convert_fn load = conversion(TB_I64, row.dtype);
  return each_batch(call, [&](char* const* at) {
    constexpr int64_t block = 256;
    int64_t values[block];
    for (int64_t i = 0; i < row.length; i += block) {
      const int64_t some = row.length - i < block ? row.length - i : block;
      load(values, 1, at[loop.index] + i * row.step * element_bytes[row.dtype], row.step, some);
      for (int64_t n = 0; n < some; ++n) {
        const bool fits = values[n] >= 0 && values[n] < range;
        if (fits || (loop.ignores && values[n] == call.number[0].i)) continue;
        if (call.bad_index != nullptr) *call.bad_index = values[n];
        return false;
      }
    }
    return true;
  });
}

// How one operand reaches the loop.
struct way {
  convert_fn load = nullptr, store = nullptr;
  int64_t buffer = -1;  // its offset in the thread's, or -1 where the loop has the row itself
  const char* loaded = nullptr;
};

constexpr int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

void run(const tb_rowwise& call, const rows_loop& loop, way* ways, char* memory, int64_t work_at) {
  rows_at now = {};
  now.number = call.number;
  now.work = memory + work_at;
  for (int k = 0; k < call.operands; ++k) {
    now.length[k] = call.row[k].length;
    now.step[k] = ways[k].buffer < 0 ? call.row[k].step : 1;
  }
  each_batch(call, [&](char* const* at) {
    for (int k = 0; k < call.operands; ++k) {
      const tb_row_operand& row = call.row[k];
      way& w = ways[k];
      now.row[k] = w.buffer < 0 ? at[k] : memory + w.buffer;
      if (w.load == nullptr || w.loaded == at[k]) continue;
      w.load(now.row[k], 1, at[k], row.step, row.length);
      if (row.written == 0) w.loaded = at[k];
    }
    loop.run(now);
    for (int k = 0; k < call.operands; ++k) {
      if (ways[k].store != nullptr) ways[k].store(at[k], call.row[k].step, now.row[k], 1, call.row[k].length);
    }
    return true;
  });
}

}  // namespace

tb_status rowwise(const tb_rowwise* call, void*) {
  const rows_loop loop = loop_of(*call);
  if (loop.run == nullptr) return TB_UNSUPPORTED_DTYPE;
  if (loop.index >= 0 && !indices_fit(*call, loop)) return TB_BAD_INDEX;
  way ways[TB_MAX_ROWS];
  int64_t bytes = 0, longest = 0;
  for (int k = 0; k < call->operands; ++k) {
    const tb_row_operand& row = call->row[k];
    if (row.data == nullptr) continue;
    if (row.length > longest) longest = row.length;
    const int32_t inside = (loop.whole & operand(k)) != 0 ? int32_t(TB_I64) : call->compute;
    const bool direct = row.dtype == inside && (row.step == 1 || row.length == 1);
    if (direct || (loop.as_is & operand(k)) != 0) continue;
    way& w = ways[k];
    w.buffer = bytes;
    bytes += aligned(row.length * element_bytes[inside]);
    if (row.written == 0 || (loop.updated & operand(k)) != 0) w.load = conversion(inside, row.dtype);
    if (row.written != 0) w.store = conversion(row.dtype, inside);
  }
  const int64_t work = aligned(loop.work_bytes * longest);
  char* const memory = bytes + work == 0 ? nullptr : static_cast<char*>(scratch(bytes + work));
  if (memory == nullptr && bytes + work != 0) return TB_OUT_OF_MEMORY;
  run(*call, loop, ways, memory, bytes);
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
