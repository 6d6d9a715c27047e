// The parameters of an attention call, shared by the CUDA-core and the tensor-core kernels.
#pragma once

#include <float.h>

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"

namespace tb_cuda {
namespace attending {

enum role { is_out, is_query, is_key, is_value, is_mask, role_count };

struct strides {
  int64_t row, col;
};

// E: element type; T: compute type.
template <typename T, typename E>
struct attention_call {
  E* out;
  const E* query;
  const E* key;
  const E* value;
  const void* mask;
  strides of[role_count];
  offsets<role_count> batch;
  int64_t queries, keys, width, value_width, tiles;
  T scale;
  bool mask_keeps;  // the mask is BOOL: true keeps a key
  bool causal;

  attention_call() = default;
  // `tile`: queries per block.
  attention_call(const tb_attention& a, int64_t tile)
      : out(static_cast<E*>(a.out.data)),
        query(static_cast<const E*>(a.query.data)),
        key(static_cast<const E*>(a.key.data)),
        value(static_cast<const E*>(a.value.data)),
        mask(a.mask.data),
        queries(a.queries),
        keys(a.keys),
        width(a.width),
        value_width(a.value_width),
        tiles((a.queries + tile - 1) / tile),
        scale(T(a.scale)),
        mask_keeps(a.mask_dtype == TB_BOOL),
        causal(a.causal != 0) {
    const tb_matrices* const all[] = {&a.out, &a.query, &a.key, &a.value, &a.mask};
    for (int r = 0; r < role_count; ++r) of[r] = {all[r]->row, all[r]->col};
    batch = offsets<role_count>(a.ndim, a.sizes, [&](int r) { return all[r]->batch; });
  }

  // The number of keys that at least one query below `queries_end` attends to.
  __device__ int64_t keys_before(int64_t queries_end) const {
    return causal && queries_end < keys ? queries_end : keys;
  }

  // Applies the mask element at `offset` to a score. An additive mask is multiplied by `unit`. If a finite
  // element overflows there, it is clamped to the largest finite number: it hides a key from a query that sees
  // other keys, but does not act as an infinity.
  __device__ T masked(T score, int64_t offset, T unit) const {
    constexpr T most = std::is_same_v<T, float> ? T(FLT_MAX) : T(DBL_MAX);
    if (!mask_keeps) {
      const T given = to_compute<T>(static_cast<const E*>(mask)[offset]), added = given * unit;
      const bool too_large = (added > most || added < -most) && given >= -most && given <= most;
      return score + (too_large ? (given < T(0) ? -most : most) : added);
    }
    return static_cast<const uint8_t*>(mask)[offset] != 0 ? score : T(-INFINITY);
  }

  // The normalization factor of a row: 1 / total. A query whose keys are all masked has a row of zeros.
  __device__ T factor_of(T total) const {
    return total == T(0) && (mask != nullptr || keys == 0) ? T(0) : T(1) / total;
  }
};

}  // namespace attending

// Attention in half precision on tensor cores. fits_tensor_cores: the device has tensor cores and width and
// value_width are at most 128. The result has at least one element; `positions` is the number of batch positions.
bool fits_tensor_cores(const scope& on, const tb_attention& a);
tb_status attend_by_tensor_cores(const scope& on, const tb_attention& a, int64_t positions);

}  // namespace tb_cuda
