// A call of attention as its kernels see it, whatever they multiply with.
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

// Elements E, computed in T.
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
  bool mask_keeps;  // BOOL
  bool causal;

  attention_call() = default;
  // Blocks have `tile` queries each.
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

  // The keys that some query below `queries_end` sees.
  __device__ int64_t keys_before(int64_t queries_end) const {
    return causal && queries_end < keys ? queries_end : keys;
  }

  // What the element of the mask at an offset makes of a score; what it adds is multiplied by `unit`, and stays a
  // number if it was one: the lowest one hides a key from a query that sees others, and no more.
  __device__ T masked(T score, int64_t place, T unit) const {
    constexpr T most = std::is_same_v<T, float> ? T(FLT_MAX) : T(DBL_MAX);
    if (!mask_keeps) {
      const T given = to_compute<T>(static_cast<const E*>(mask)[place]), added = given * unit;
      const bool too_large = (added > most || added < -most) && given >= -most && given <= most;
      return score + (too_large ? (given < T(0) ? -most : most) : added);
    }
    return static_cast<const uint8_t*>(mask)[place] != 0 ? score : T(-INFINITY);
  }

  // What sums are multiplied by in the end. A query for which a mask keeps no key has a row of zeros.
  __device__ T factor_of(T total) const {
    return total == T(0) && (mask != nullptr || keys == 0) ? T(0) : T(1) / total;
  }
};

}  // namespace attending

// Halves by tensor cores, where the device has those and the call's rows are short enough. A call with at least one
// element in its result, at `positions` of the batch.
bool fits_tensor_cores(const scope& on, const tb_attention& a);
tb_status attend_by_tensor_cores(const scope& on, const tb_attention& a, int64_t positions);

}  // namespace tb_cuda
