// Attention over a batch: each position of the batch and each tile of queries is one task.
#include <atomic>

#include "attention_tile.h"
#include "layout.h"
#include "threads/parallel.h"
#include "threads/scratch.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

template <typename T>
tb_status attention_of(const tb_attention& a) {
  int64_t positions = 1;
  for (int d = 0; d < a.ndim; ++d) positions *= a.sizes[d];
  if (positions == 0 || a.queries == 0 || a.value_width == 0) return TB_OK;
  const int64_t tiles = (a.queries + tile_queries - 1) / tile_queries;
  const tb_matrices* const operands[] = {&a.out, &a.query, &a.key, &a.value, &a.mask};
  const int64_t mask_bytes = a.mask_dtype == TB_BOOL ? 1 : int64_t(sizeof(T));
  const int64_t bytes[] = {sizeof(T), sizeof(T), sizeof(T), sizeof(T), mask_bytes};
  std::atomic<bool> lacking{false};
  const auto part = [&](int64_t i) {
    char* at[5];
    for (int k = 0; k < 5; ++k) at[k] = static_cast<char*>(operands[k]->data);
    for (int64_t d = 0, rest = i / tiles; d < a.ndim; rest /= a.sizes[d++]) {
      for (int k = 0; k < 5; ++k) {
        if (at[k] != nullptr) at[k] += rest % a.sizes[d] * operands[k]->batch[d] * bytes[k];
      }
    }
    // 64 bytes more, since a request of 0 bytes may return null.
    void* const memory = scratch(attention_bytes<T>(a) + 64, scratch_level::part);
    if (memory == nullptr) return lacking.store(true, std::memory_order_relaxed);
    attend<T>(a, at, i % tiles * tile_queries, memory);
  };
  if (positions * a.queries * a.keys * (a.width + a.value_width) / 16 <= parallel_grain || threads() == 1) {
    for (int64_t i = 0; i < positions * tiles; ++i) part(i);
  } else {
    each_part(positions * tiles, part);
  }
  return lacking.load(std::memory_order_relaxed) ? TB_OUT_OF_MEMORY : TB_OK;
}

}  // namespace

tb_status attention(const tb_attention* call, const tb_call*) {
  const bool fits = call->mask.data == nullptr || call->mask_dtype == TB_BOOL || call->mask_dtype == call->dtype;
  if (call->dtype == TB_F32 && fits) return attention_of<float>(*call);
  if (call->dtype == TB_F64 && fits) return attention_of<double>(*call);
  return TB_UNSUPPORTED_DTYPE;
}

}  // namespace tb_cpu::TOPBIT_ARCH
