// Sequences start, start + step, ...: computed in double or int64 and converted to the element type, block by block.
#include "elementwise/convert.h"
#include "elementwise/write_blocks.h"
#include "layout.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

// Elements `first` and later. The index is the exact sum of two numbers, since a small int converts to double in SIMD.
void numbers_from(double* to, tb_scalar start, tb_scalar step, int64_t first, int64_t count) {
  const double begin = double(first);
  for (int32_t i = 0; i < int32_t(count); ++i) to[i] = start.f + (begin + double(i)) * step.f;
}
void numbers_from(int64_t* to, tb_scalar start, tb_scalar step, int64_t first, int64_t count) {
  const uint64_t begin = uint64_t(start.i) + uint64_t(first) * uint64_t(step.i);
  for (int64_t i = 0; i < count; ++i) to[i] = int64_t(begin + uint64_t(i) * uint64_t(step.i));
}

template <typename Number>
void count_up(const tb_operand& out, convert_fn store, tb_scalar start, tb_scalar step, int64_t first, int64_t count,
              bool streams) {
  alignas(64) Number numbers[written_block];
  const int64_t bytes = element_bytes[out.dtype], stride = out.strides[0];
  char* const to = static_cast<char*>(out.data) + first * stride * bytes;
  const auto write = [&](int64_t from, int64_t some, char* at) {
    numbers_from(numbers, start, step, first + from, some);
    store(at, stride, numbers, 1, some);
  };
  if (stride == 1) {
    write_blocks(to, count * bytes, streams,
                 [&](int64_t from, int64_t length, char* at) { write(from / bytes, length / bytes, at); });
    if (streams) end_stream();
    return;
  }
  for (int64_t i = 0; i < count; i += written_block) {
    write(i, count - i < written_block ? count - i : written_block, to + i * stride * bytes);
  }
}

}  // namespace

tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, const tb_call*) {
  const tb_operand& out = plan->operand[0];
  const bool real = compute_type(out.dtype) == TB_F32 || out.dtype == TB_F64;
  const convert_fn store = conversion(out.dtype, real ? TB_F64 : TB_I64);
  const int64_t count = plan->sizes[0];
  const bool aligned = reinterpret_cast<uintptr_t>(out.data) % uintptr_t(element_bytes[out.dtype]) == 0;
  const bool streams = can_stream && aligned && out.strides[0] == 1 && passes_the_cache(*plan, count);
  const auto count_part = real ? count_up<double> : count_up<int64_t>;
  each_row_part(count, row_parts(count), [&](int64_t, int64_t first, int64_t last) {
    count_part(out, store, start, step, first, last - first, streams);
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
