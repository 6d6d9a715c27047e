// Pointwise operations over a plan: finds the loop, brings each operand into the form it wants, and runs it row by row.
//
// An operand that is dense in the type of the computation is handed over as it is, whole rows at a time. Any other goes
// through a buffer, a block at a time: converted, gathered from its stride, or repeated. So there is one loop per
// operation and type of computation, whatever the dtypes and strides of its operands.
#include "pointwise.h"

#include "convert.h"
#include "layout.h"
#include "walk.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block = 512;

struct buffer {
  alignas(64) unsigned char bytes[block * 8];
};

// How one operand enters or leaves the loop.
struct way {
  convert_fn convert;  // null: as it is
  int64_t step;        // in elements
  int64_t step_bytes;
  int64_t loop_bytes;  // of an element in the loop
};

way way_of(const tb_operand& operand, int32_t inside, bool written) {
  const bool direct = operand.dtype == inside && operand.strides[0] == 1;
  const convert_fn convert = direct    ? nullptr
                             : written ? conversion(operand.dtype, inside)
                                       : conversion(inside, operand.dtype);
  const int64_t step = operand.strides[0];
  return {convert, step, step * element_bytes[operand.dtype], element_bytes[inside]};
}

// Repeats the element at the front of a buffer.
void repeat(buffer& in, int64_t count, int64_t bytes) {
  for (int64_t filled = 1; filled < count; filled *= 2) {
    const int64_t more = count - filled < filled ? count - filled : filled;
    __builtin_memcpy(in.bytes + filled * bytes, in.bytes, static_cast<size_t>(more * bytes));
  }
}

template <int Inputs>
void run(const tb_pointwise& call, loop_fn loop, int32_t result) {
  const tb_plan& plan = call.plan;
  const int64_t count = plan.sizes[0];
  const way out = way_of(plan.operand[0], result, true);
  way in[Inputs + 1];
  bool direct = out.convert == nullptr;
  for (int k = 0; k < Inputs; ++k) {
    in[k] = way_of(plan.operand[k + 1], call.compute, false);
    direct = direct && in[k].convert == nullptr;
  }
  if (direct) {
    each_row<Inputs + 1>(
        plan, [&](char* const* at) { loop(count, at[0], reinterpret_cast<const void* const*>(at + 1), call.number); });
    return;
  }
  buffer out_buffer, in_buffer[Inputs + 1];
  const char* repeated[Inputs + 1] = {};
  each_row<Inputs + 1>(plan, [&](char* const* at) {
    const void* given[Inputs + 1];
    for (int k = 0; k < Inputs; ++k) {
      if (in[k].convert == nullptr || in[k].step != 0) continue;
      given[k] = in_buffer[k].bytes;
      if (repeated[k] == at[k + 1]) continue;
      in[k].convert(in_buffer[k].bytes, 1, at[k + 1], 1, 1);
      repeat(in_buffer[k], count < block ? count : block, in[k].loop_bytes);
      repeated[k] = at[k + 1];
    }
    for (int64_t i = 0; i < count; i += block) {
      const int64_t some = count - i < block ? count - i : block;
      for (int k = 0; k < Inputs; ++k) {
        const char* const from = at[k + 1] + i * in[k].step_bytes;
        if (in[k].convert == nullptr) {
          given[k] = from;
        } else if (in[k].step != 0) {
          in[k].convert(in_buffer[k].bytes, 1, from, in[k].step, some);
          given[k] = in_buffer[k].bytes;
        }
      }
      char* const to = at[0] + i * out.step_bytes;
      if (out.convert == nullptr) {
        loop(some, to, given, call.number);
      } else {
        loop(some, out_buffer.bytes, given, call.number);
        out.convert(to, out.step, out_buffer.bytes, 1, some);
      }
    }
  });
}

bool divides_integers(const tb_pointwise& call) {
  if (call.compute != TB_I64) return false;
  return call.op == TB_DIV_FLOOR || call.op == TB_DIV_TRUNC || call.op == TB_REMAINDER || call.op == TB_FMOD;
}

// Looks at the divisors before anything is written.
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

tb_status pointwise(const tb_pointwise* call, void*) {
  loops all = number_loops(call->op);
  if (all.f32 == nullptr && all.integer == nullptr) all = float_loops(call->op);
  const loop_fn loop = call->compute == TB_BOOL  ? all.boolean
                       : call->compute == TB_I64 ? all.integer
                       : call->compute == TB_F32 ? all.f32
                       : call->compute == TB_F64 ? all.f64
                                                 : nullptr;
  if (loop == nullptr || call->plan.operands != all.inputs + 1) return TB_UNSUPPORTED_DTYPE;
  if (divides_integers(*call) && has_zero(call->plan, 2)) return TB_DIVISION_BY_ZERO;
  const int32_t result = all.predicate ? int32_t(TB_BOOL) : call->compute;
  switch (all.inputs) {
    case 0: run<0>(*call, loop, result); break;
    case 1: run<1>(*call, loop, result); break;
    case 2: run<2>(*call, loop, result); break;
    default: run<3>(*call, loop, result); break;
  }
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
