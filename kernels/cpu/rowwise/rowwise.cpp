// Row operations: iterates over the batch, makes rows dense in the compute type for the loop, and stores its results.
//
// Rows that are already dense in the compute type are passed to the loop directly, many at a time. Other rows are
// converted into a buffer, as many as it holds; broadcast rows are converted once. Rows along a dimension other than
// the innermost are interleaved in memory: loops with an `across` form process them as columns. Large batches are
// divided into tasks.
#include "rowwise/rowwise.h"

#include "elementwise/convert.h"
#include "elementwise/write_blocks.h"
#include "layout.h"
#include "rowwise/index_range.h"
#include "rowwise/row_runs.h"
#include "threads/parallel.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

rows_loop loop_of(const tb_rowwise& call) {
  using source = rows_loop (*)(const tb_rowwise&);
  // Losses first: their calls are the shortest.
  constexpr source sources[] = {loss_rows,   softmax_rows,  scan_rows,  sort_rows,  select_rows,  count_rows,
                                search_rows, compress_rows, index_rows, layer_norm, distance_rows};
  for (const source s : sources) {
    const rows_loop loop = s(call);
    if (loop.run != nullptr) return loop;
  }
  return {};
}

// Whether all indices of a run of rows are in range, if they are dense in one direction or the other; quickly.
bool all_within(const tb_row_operand& row, const int64_t* first, int64_t pitch, int64_t count, int64_t range) {
  if (row.dtype != TB_I64) return false;
  if (row.step == 1 && pitch == row.length) return indices_within(first, count * row.length, 0, range);
  const bool across = pitch == 1;
  if (!across && row.step != 1) return false;
  for (int64_t i = 0; i < (across ? row.length : count); ++i) {
    if (!indices_within(first + i * (across ? row.step : pitch), across ? count : row.length, 0, range)) return false;
  }
  return true;
}

bool indices_fit(const tb_rowwise& call, const rows_loop& loop, const row_batch& batch) {
  if (call.row[loop.index].data == nullptr) return true;
  const tb_row_operand& row = call.row[loop.index];
  const int64_t range = call.row[loop.range].length, bytes = element_bytes[row.dtype];
  const int64_t pitch = batch.strides[loop.index][0] / bytes;
  const convert_fn load = conversion(TB_I64, row.dtype);
  const auto fits = [&](const char* at, int64_t step, int64_t length) {
    int64_t values[index_block];
    for (int64_t i = 0; i < length; i += index_block) {
      const int64_t some = length - i < index_block ? length - i : index_block;
      load(values, 1, at + i * step * bytes, step, some);
      for (int64_t n = 0; n < some; ++n) {
        const bool in_range = values[n] >= 0 && values[n] < range;
        if (in_range || (loop.ignores && values[n] == call.number[0].i)) continue;
        if (call.bad_index != nullptr) *call.bad_index = values[n];
        return false;
      }
    }
    return true;
  };
  return each_run(batch, 0, batch.total, [&](char* const* at, int64_t count) {
    const char* const first = at[loop.index];
    if (all_within(row, reinterpret_cast<const int64_t*>(first), pitch, count, range)) return true;
    if (row.length == 1) return fits(first, pitch, count);
    for (int64_t i = 0; i < count; ++i) {
      if (!fits(first + i * pitch * bytes, row.step, row.length)) return false;
    }
    return true;
  });
}

// How one operand is passed to the loop.
struct operand_access {
  convert_fn load = nullptr, store = nullptr;
  int64_t buffer = -1;    // offset of the buffer in the scratch memory; -1: the loop accesses the rows in place
  int64_t pitch = 0;      // distance between rows in memory, in elements
  int64_t bytes = 0;      // bytes of an element in the loop
  int64_t outside = 0;    // bytes of an element in memory
  bool repeated = false;  // the pitch is 0: all rows are the same
  bool beside = false;    // interleaved rows: converted column by column
  const char* loaded = nullptr;
};

struct ways {
  operand_access of[TB_MAX_ROWS];
  bool across = false;
  int64_t block = INT64_MAX;  // rows per call of the loop
  int64_t work_at = 0, memory = 0;
  bool streams = false;
};

constexpr int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }
constexpr int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Whether the rows are interleaved and the loop has an `across` form.
bool goes_across(const tb_rowwise& call, const rows_loop& loop, const row_batch& batch) {
  if (loop.across == nullptr || batch.sizes[0] == 1) return false;
  bool apart = false;
  for (int k = 0; k < call.operands; ++k) {
    const tb_row_operand& row = call.row[k];
    if (row.data == nullptr) continue;
    const int64_t pitch = batch.strides[k][0];
    if (pitch != ((loop.shared & operand(k)) != 0 ? 0 : element_bytes[row.dtype])) return false;
    apart = apart || (row.length > 1 && row.step != 1);
  }
  return apart;
}

ways plan_ways(const tb_rowwise& call, const rows_loop& loop, const row_batch& batch) {
  constexpr int64_t room = 24 * 1024, least_across = 32;
  ways w;
  w.across = goes_across(call, loop, batch);
  int64_t longest = 1, of_a_row = 0;
  for (int k = 0; k < call.operands; ++k) {
    const tb_row_operand& row = call.row[k];
    if (row.data == nullptr) continue;
    operand_access& one = w.of[k];
    const int32_t inside = (loop.whole & operand(k)) != 0 ? int32_t(TB_I64) : call.compute;
    one.outside = one.bytes = element_bytes[row.dtype];
    one.pitch = batch.strides[k][0] / one.outside;
    if (row.length > longest) longest = row.length;
    const bool placed = w.across || row.step == 1 || row.length == 1;
    if ((row.dtype == inside && placed) || (loop.as_is & operand(k)) != 0) continue;
    one.bytes = element_bytes[inside];
    one.repeated = one.pitch == 0;
    one.beside = one.pitch == 1 && row.step != 1 && row.length > 1;
    one.buffer = 0;
    if (!one.repeated) of_a_row += row.length * one.bytes;
    if (row.written == 0 || (loop.updated & operand(k)) != 0) one.load = conversion(inside, row.dtype);
    if (row.written != 0) one.store = conversion(row.dtype, inside);
  }
  if (of_a_row > 0) {
    const int64_t fewest = w.across ? least_across : 1, some = room / of_a_row;
    w.block = least(some < fewest ? fewest : some, batch.sizes[0]);
  }
  for (int k = 0; k < call.operands; ++k) {
    operand_access& one = w.of[k];
    if (one.buffer < 0) continue;
    one.buffer = w.work_at;
    w.work_at += aligned(call.row[k].length * one.bytes * (one.repeated ? 1 : w.block));
  }
  w.memory = w.work_at + aligned(loop.work_bytes * longest);
  return w;
}

// Converts `count` rows from memory into the buffer; store_rows does the reverse.
void load_rows(const tb_row_operand& row, const operand_access& w, bool across, char* buffer, const char* at,
               int64_t count) {
  if (w.beside) {
    const int64_t pitch = across ? 1 : row.length, step = across ? count : 1;
    for (int64_t i = 0; i < row.length; ++i) {
      w.load(buffer + i * step * w.bytes, pitch, at + i * row.step * w.outside, 1, count);
    }
  } else if (row.length == 1) {
    w.load(buffer, 1, at, w.pitch, count);
  } else if (row.step == 1 && w.pitch == row.length) {
    w.load(buffer, 1, at, 1, count * row.length);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      w.load(buffer + i * row.length * w.bytes, 1, at + i * w.pitch * w.outside, row.step, row.length);
    }
  }
}
void store_rows(const tb_row_operand& row, const operand_access& w, bool across, char* at, const char* buffer,
                int64_t count) {
  if (w.beside) {
    const int64_t pitch = across ? 1 : row.length, step = across ? count : 1;
    for (int64_t i = 0; i < row.length; ++i) {
      w.store(at + i * row.step * w.outside, 1, buffer + i * step * w.bytes, pitch, count);
    }
  } else if (row.length == 1) {
    w.store(at, w.pitch, buffer, 1, count);
  } else if (row.step == 1 && w.pitch == row.length) {
    w.store(at, 1, buffer, 1, count * row.length);
  } else {
    for (int64_t i = 0; i < count; ++i) {
      w.store(at + i * w.pitch * w.outside, row.step, buffer + i * row.length * w.bytes, 1, row.length);
    }
  }
}

// Runs the positions first to last - 1.
void run_part(const tb_rowwise& call, const rows_loop& loop, const row_batch& batch, ways w, char* memory,
              int64_t first, int64_t last, std::atomic<bool>& refused) {
  rows_at now = {};
  now.refused = &refused;
  now.number = call.number;
  now.work = memory + w.work_at;
  now.streams = w.streams;
  for (int k = 0; k < call.operands; ++k) now.length[k] = call.row[k].length;
  const rows_fn run = w.across ? loop.across : loop.run;
  const bool many = w.across || loop.many;
  each_run(batch, first, last, [&](char* const* at, int64_t whole) {
    for (int64_t begin = 0; begin < whole; begin += w.block) {
      const int64_t count = least(w.block, whole - begin);
      now.count = count;
      for (int k = 0; k < call.operands; ++k) {
        const tb_row_operand& row = call.row[k];
        operand_access& one = w.of[k];
        char* const here = at[k] == nullptr ? nullptr : at[k] + begin * one.pitch * one.outside;
        if (one.buffer < 0) {
          now.row[k] = here;
          now.step[k] = row.step;
          now.pitch[k] = one.pitch;
          continue;
        }
        char* const buffer = memory + one.buffer;
        now.row[k] = buffer;
        const bool columns = w.across && one.beside;
        now.step[k] = columns ? count : 1;
        now.pitch[k] = columns ? 1 : one.repeated ? 0 : row.length;
        if (one.load == nullptr || one.loaded == here) continue;
        load_rows(row, one, w.across, buffer, here, one.repeated ? 1 : count);
        if (row.written == 0 && one.repeated) one.loaded = here;
      }
      if (many) {
        run(now);
      } else {
        now.count = 1;
        for (int64_t i = 0; i < count; ++i) {
          run(now);
          for (int k = 0; k < call.operands; ++k) {
            if (now.row[k] != nullptr) now.row[k] = static_cast<char*>(now.row[k]) + now.pitch[k] * w.of[k].bytes;
          }
        }
      }
      for (int k = 0; k < call.operands; ++k) {
        const operand_access& one = w.of[k];
        if (one.store == nullptr) continue;
        char* const here = at[k] + begin * one.pitch * one.outside;
        store_rows(call.row[k], one, w.across, here, memory + one.buffer, one.repeated ? 1 : count);
      }
    }
    return true;
  });
}

// Whether rows are written more than once, and hence in order, by one thread.
bool in_order(const tb_rowwise& call, const row_batch& batch) {
  for (int k = 0; k < call.operands; ++k) {
    if (call.row[k].data != nullptr && call.row[k].written != 0 && batch.repeats(k)) return true;
  }
  return false;
}

}  // namespace

tb_status rowwise(const tb_rowwise* call, const tb_call*) {
  if (call->op == TB_BAG_SUM || call->op == TB_BAG_MEAN || call->op == TB_BAG_MAX) return reduce_bags(*call);
  const rows_loop loop = loop_of(*call);
  if (loop.run == nullptr) return TB_UNSUPPORTED_DTYPE;
  for (int d = 0; d < call->ndim; ++d) {
    if (call->sizes[d] <= 0) return TB_OK;
  }
  const row_batch batch(*call);
  if (loop.index >= 0 && !loop.checks && !indices_fit(*call, loop, batch)) return TB_BAD_INDEX;
  ways w = plan_ways(*call, loop, batch);
  int64_t of_a_position = 1, bytes = 0;
  for (int k = 0; k < call->operands; ++k) {
    if (w.of[k].bytes != 0 && !batch.repeats(k)) bytes += batch.total * call->row[k].length * w.of[k].outside;
    if (w.of[k].bytes != 0 && call->row[k].length > of_a_position) of_a_position = call->row[k].length;
    // A written row shared by all positions must be stored and reloaded after each position.
    if (w.of[k].repeated && w.of[k].store != nullptr) w.block = 1;
  }
  w.streams = loop.streams && !w.across && passes_cache(bytes);
  const bool alone = batch.total * of_a_position <= parallel_grain || threads() == 1 || in_order(*call, batch);
  int64_t some = alone ? batch.total : (parallel_grain + of_a_position - 1) / of_a_position;
  if (!alone && some < loop.least_rows) some = loop.least_rows;
  // Tasks of interleaved rows share few cache lines.
  const int64_t least_columns = batch.total < loop.columns * threads() ? 16 : loop.columns;
  if (w.across) some = (some + least_columns - 1) / least_columns * least_columns;
  std::atomic<bool> lacking{false}, refused{false};
  each_part((batch.total + some - 1) / some, [&](int64_t part) {
    const scratch_level level = alone ? scratch_level::kernel : scratch_level::part;
    char* const memory = w.memory == 0 ? nullptr : static_cast<char*>(scratch(w.memory, level));
    if (memory == nullptr && w.memory != 0) {
      lacking.store(true, std::memory_order_relaxed);
    } else {
      run_part(*call, loop, batch, w, memory, part * some, least(batch.total, (part + 1) * some), refused);
    }
  });
  if (refused.load(std::memory_order_relaxed)) {
    indices_fit(*call, loop, batch);  // finds the first one
    return TB_BAD_INDEX;
  }
  return lacking.load(std::memory_order_relaxed) ? TB_OUT_OF_MEMORY : TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
