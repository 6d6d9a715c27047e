// Sequences start, start + step, ...: computed in double or int64 and converted to the element type, block by block.
#include "elementwise/convert.h"
#include "elementwise/partition.h"
#include "layout.h"
#include "stream.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int64_t block = 512;

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
  alignas(64) Number numbers[block];
  alignas(64) char ready[block * sizeof(Number)];
  const int64_t bytes = element_bytes[out.dtype], stride = out.strides[0];
  char* to = static_cast<char*>(out.data) + first * stride * bytes;
  // A store that passes the cache writes whole cache lines.
  const int64_t beside = (-int64_t(reinterpret_cast<uintptr_t>(to)) & 63) / bytes;
  for (int64_t i = 0; i < count;) {
    const int64_t most = i == 0 && streams && beside != 0 ? beside : block, some = count - i < most ? count - i : most;
    numbers_from(numbers, start, step, first + i, some);
    if (streams && most == block) {
      store(ready, 1, numbers, 1, some);
      stream(to, ready, some * bytes);
    } else {
      store(to, stride, numbers, 1, some);
    }
    to += some * stride * bytes;
    i += some;
  }
  if (streams) end_stream();
}

}  // namespace

tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, const tb_call*) {
  const tb_operand& out = plan->operand[0];
  const bool real = compute_type(out.dtype) == TB_F32 || out.dtype == TB_F64;
  const convert_fn store = conversion(out.dtype, real ? TB_F64 : TB_I64);
  const int64_t count = plan->sizes[0];
  const bool aligned = reinterpret_cast<uintptr_t>(out.data) % uintptr_t(element_bytes[out.dtype]) == 0;
  const bool streams = can_stream && aligned && out.strides[0] == 1 && passes_the_cache(*plan, count);
  const int64_t most = count / parallel_grain, parts = most < 2 || threads() < 2 ? 1
                                                       : most < 4 * threads()    ? most
                                                                                 : 4 * threads();
  const int64_t share = (count + parts - 1) / parts;
  each_part(parts, [&](int64_t i) {
    const int64_t first = i * share, some = count - first < share ? count - first : share;
    if (some <= 0) return;
    const auto part = real ? count_up<double> : count_up<int64_t>;
    part(out, store, start, step, first, some, streams);
  });
  return TB_OK;
}

}  // namespace tb_cpu::TOPBIT_ARCH
