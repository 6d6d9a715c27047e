// Elementwise operations over a plan: selects the loop, makes each operand dense in the compute type, and runs the loop
// row by row.
//
// An operand that is already dense in the compute type is passed to the loop directly, a whole row at a time. Any other
// operand goes through a buffer, a block at a time: converted, gathered from its stride, or broadcast; an operand that
// is dense along dimension 1 is transposed in tiles first. So there is one loop per operation and compute type,
// whatever the dtypes and strides of the operands; the most common operations have others (common_loops.h). Results too
// large for the cache are written with non-temporal stores, from a buffer too.
#include "elementwise/elementwise.h"

#include "common_loops.h"
#include "elementwise/convert.h"
#include "elementwise/for_each_row.h"
#include "elementwise/partition.h"
#include "elementwise/transpose.h"
#include "layout.h"
#include "stream.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block = 512;
static_assert(tile_columns <= block);
// Bytes of a block's widest operand with non-temporal stores: few, so that reads and writes alternate often. Of 256 to
// 8192 these were the fastest, for one to three inputs of 2 to 8 bytes.
constexpr int64_t streamed_bytes = 512;
// Shorter rows are written with ordinary stores.
constexpr int64_t least_streamed = 1024;

struct buffer {
  alignas(64) unsigned char bytes[block * 8];
};

// How one operand is loaded for the loop, or stored after it.
struct operand_access {
  convert_fn convert;  // null: no conversion
  int64_t step;        // in elements
  int64_t step_bytes;
  int64_t element;       // bytes of an element in memory
  int64_t loop_element;  // bytes of an element in the loop
  bool across;           // dense along dimension 1: transposed in tiles
};

operand_access access_of(const tb_plan& plan, int k, int32_t inside) {
  const tb_operand& operand = plan.operand[k];
  const bool across = k != 0 && lies_across(plan, k);
  const int64_t step = across ? 1 : operand.strides[0];
  const convert_fn convert = operand.dtype == inside && step == 1 ? nullptr
                             : k == 0                             ? conversion(operand.dtype, inside)
                                                                  : conversion(inside, operand.dtype);
  const int64_t bytes = element_bytes[operand.dtype];
  return {convert, step, step * bytes, bytes, element_bytes[inside], across};
}

template <typename T>
void repeat_as(void* buffer, int64_t count) {
  T* const at = static_cast<T*>(buffer);
  const T value = *at;
  for (int64_t i = 1; i < count; ++i) at[i] = value;
}

// Broadcasts the first element of a buffer to `count` elements.
void repeat(buffer& in, int64_t count, int64_t bytes) {
  switch (bytes) {
    case 1: return repeat_as<uint8_t>(in.bytes, count);
    case 4: return repeat_as<uint32_t>(in.bytes, count);
    default: return repeat_as<uint64_t>(in.bytes, count);
  }
}

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// A loop with the types of its inputs and of its result.
struct loop_choice {
  loop_fn loop;
  int32_t inside, result;
};

template <int Inputs>
class pass {
 public:
  pass(const tb_elementwise& call, const tb_plan& plan, loop_choice chosen, bool streams)
      : call_(call),
        plan_(plan),
        loop_(chosen.loop),
        out_(access_of(plan, 0, chosen.result)),
        streams_(streams && out_.step == 1) {
    direct_ = out_.convert == nullptr && !streams_;
    int converted = -1;
    int64_t widest = out_.element;
    for (int k = 0; k < Inputs; ++k) {
      in_[k] = access_of(plan, k + 1, chosen.inside);
      if (in_[k].step != 0 && in_[k].element > widest) widest = in_[k].element;
      across_ = across_ || in_[k].across;
      if (in_[k].convert == nullptr) continue;
      const bool one = Inputs == 2 && converted < 0 && in_[k].step == 0 && plan.operand[k + 1].dtype == chosen.inside;
      converted = one ? k : Inputs;
    }
    if (direct_ && !across_ && converted >= 0 && converted < Inputs) {
      const loop_fn with_one = loop_with_one(call.op, chosen.inside, converted);
      if (with_one != nullptr) loop_ = with_one, converted = -1;
    }
    direct_ = direct_ && converted < 0;
    if (streams_) block_ = streamed_bytes / widest;
  }

  void run() {
    if (across_) {
      in_tiles();
    } else if (direct_) {
      each_row<Inputs + 1>(plan_, [&](char* const* at) {
        loop_(plan_.sizes[0], at[0], reinterpret_cast<const void* const*>(at + 1), call_.number);
      });
    } else {
      each_row<Inputs + 1>(plan_, [&](char* const* at) { row(at, plan_.sizes[0]); });
    }
    if (streams_) end_stream();
  }

 private:
  // Iterates over dimensions 0 and 1 in tiles, so that operands that are dense along dimension 1 can be transposed.
  void in_tiles() {
    alignas(64) unsigned char tile[Inputs + 1][tile_rows * tile_columns * 8];  // slot 0, the result, is unused
    each_position<Inputs + 1>(plan_, 2, [&](char* const* base) {
      for (int64_t j = 0; j < plan_.sizes[1]; j += tile_rows) {
        const int64_t rows = smaller(plan_.sizes[1] - j, tile_rows);
        for (int64_t i = 0; i < plan_.sizes[0]; i += tile_columns) {
          const int64_t columns = smaller(plan_.sizes[0] - i, tile_columns);
          char* at[Inputs + 1];
          int64_t next[Inputs + 1];
          for (int k = 0; k <= Inputs; ++k) {
            const tb_operand& operand = plan_.operand[k];
            const int64_t bytes = element_bytes[operand.dtype];
            at[k] = base[k] + (i * operand.strides[0] + j * operand.strides[1]) * bytes;
            next[k] = operand.strides[1] * bytes;
            if (k == 0 || !in_[k - 1].across) continue;
            char* const transposed = reinterpret_cast<char*>(tile[k]);
            transpose(transposed, tile_columns * bytes, at[k], operand.strides[0] * bytes, rows, columns, bytes);
            at[k] = transposed;
            next[k] = tile_columns * bytes;
          }
          for (int64_t r = 0; r < rows; ++r) {
            row(at, columns);
            for (int k = 0; k <= Inputs; ++k) at[k] += next[k];
          }
        }
      }
    });
  }

  void row(char* const* at, int64_t count) {
    const void* given[Inputs + 1];
    for (int k = 0; k < Inputs; ++k) {
      if (in_[k].convert == nullptr || in_[k].step != 0) continue;
      given[k] = in_buffer_[k].bytes;
      if (repeated_[k] == at[k + 1] && filled_[k] >= smaller(count, block)) continue;
      filled_[k] = smaller(count, block);
      repeated_[k] = at[k + 1];
      in_[k].convert(in_buffer_[k].bytes, 1, at[k + 1], 1, 1);
      repeat(in_buffer_[k], filled_[k], in_[k].loop_element);
    }
    for (int64_t i = 0, some = 0; i < count; i += some) {
      char* const to = at[0] + i * out_.step_bytes;
      some = smaller(count - i, block_);
      if (streams_) {
        // The first block ends at a cache line boundary; the others are whole cache lines.
        const int64_t beside = int64_t(reinterpret_cast<uintptr_t>(to) % 64);
        if (beside != 0) some = smaller(some, (64 - beside) / out_.element);
      }
      for (int k = 0; k < Inputs; ++k) {
        const char* const from = at[k + 1] + i * in_[k].step_bytes;
        if (in_[k].convert == nullptr) {
          given[k] = from;
        } else if (in_[k].step != 0) {
          in_[k].convert(in_buffer_[k].bytes, 1, from, in_[k].step, some);
          given[k] = in_buffer_[k].bytes;
        }
      }
      if (out_.convert == nullptr && !streams_) {
        loop_(some, to, given, call_.number);
        continue;
      }
      loop_(some, out_buffer_.bytes, given, call_.number);
      if (!streams_) {
        out_.convert(to, out_.step, out_buffer_.bytes, 1, some);
        continue;
      }
      const unsigned char* ready = out_buffer_.bytes;
      if (out_.convert != nullptr) {
        out_.convert(converted_.bytes, 1, out_buffer_.bytes, 1, some);
        ready = converted_.bytes;
      }
      for (int k = 0; k < Inputs; ++k) {
        const char* const after = at[k + 1] + (i + some) * in_[k].step_bytes;
        if (in_[k].step == 1) prefetch(after, some * in_[k].element);
      }
      stream(to, reinterpret_cast<const char*>(ready), some * out_.element);
    }
  }

  static void prefetch(const char* at, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(at + i);
  }

  const tb_elementwise& call_;
  const tb_plan& plan_;
  loop_fn loop_;
  const operand_access out_;
  const bool streams_;
  int64_t block_ = block;
  bool direct_, across_ = false;
  operand_access in_[Inputs + 1];
  const char* repeated_[Inputs + 1] = {};
  int64_t filled_[Inputs + 1] = {};
  buffer out_buffer_, converted_, in_buffer_[Inputs + 1];
};

bool is_streamed(const tb_plan& plan, int64_t count) {
  return can_stream && plan.sizes[0] >= least_streamed && passes_the_cache(plan, count);
}

bool all_dense_in(const tb_plan& plan, int32_t dtype) {
  for (int k = 0; k < plan.operands; ++k) {
    if (plan.operand[k].dtype != dtype || plan.operand[k].strides[0] != 1) return false;
  }
  return true;
}

template <int Inputs>
void run(const tb_elementwise& call, loop_choice chosen) {
  const int64_t count = positions(call.plan);
  const bool streams = is_streamed(call.plan, count);
  const int32_t dtype = call.plan.operand[0].dtype;
  if (chosen.inside == TB_F32 && element_bytes[dtype] == 2 && all_dense_in(call.plan, dtype)) {
    const loop_fn of_halves = loop_of_halves(call.op, dtype);
    if (of_halves != nullptr) chosen = {of_halves, dtype, dtype};
  }
  in_parts(call.plan, 0, count, [&](const tb_plan& plan) { pass<Inputs>(call, plan, chosen, streams).run(); });
}

loop_fn loop_in(const loops& all, int32_t compute) {
  switch (compute) {
    case TB_BOOL: return all.boolean;
    case TB_I64: return all.integer;
    case TB_F32: return all.f32;
    case TB_F64: return all.f64;
    default: return nullptr;
  }
}

// Checks the divisors before anything is written.
bool has_zero(tb_plan plan, int operand) {
  plan.operand[0] = plan.operand[operand];
  const int32_t dtype = plan.operand[0].dtype;
  const convert_fn load = conversion(TB_I64, dtype);
  const int64_t step = plan.operand[0].strides[0], count = step == 0 ? 1 : plan.sizes[0];
  bool found = false;
  each_row<1>(plan, [&](char* const* at) {
    int64_t values[block];
    for (int64_t i = 0; i < count && !found; i += block) {
      const int64_t some = count - i < block ? count - i : block;
      load(values, 1, at[0] + i * step * element_bytes[dtype], step, some);
      for (int64_t n = 0; n < some; ++n) found = found || values[n] == 0;
    }
  });
  return found;
}

}  // namespace

constinit const tb_dense_loops* const dense_loops[TB_ELEMENTWISE_COUNT] = {
#define TB_ELEMENTWISE_NUMBER(code, function, inputs, types, result, size, note) &arithmetic_loops.dense[TB_##code],
#define TB_ELEMENTWISE_FUNCTION(code, function, inputs, types, result, size, note) &float_loops.dense[TB_##code],
#include "elementwise.def"
};

tb_status elementwise(const tb_elementwise* call, const tb_call*) {
  const loops& all = loops_of(call->op);
  const loop_fn loop = loop_in(all, call->compute);
  if (loop == nullptr || call->plan.operands != all.inputs + 1) return TB_UNSUPPORTED_DTYPE;
  if (divides_integers(call->op, call->compute) && has_zero(call->plan, 2)) return TB_DIVISION_BY_ZERO;
  const loop_choice chosen{loop, call->compute, all.predicate ? int32_t(TB_BOOL) : call->compute};
  switch (all.inputs) {
    case 0: run<0>(*call, chosen); break;
    case 1: run<1>(*call, chosen); break;
    case 2: run<2>(*call, chosen); break;
    default: run<3>(*call, chosen); break;
  }
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
