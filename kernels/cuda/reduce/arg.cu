// Argmax and argmin reductions, with or without the value; of equal elements, the first.
#include "reduce/minmax_reducers.cuh"

namespace tb_cuda {
namespace {

template <typename C>
struct best_at {
  std::conditional_t<std::is_same_v<C, bool_t>, uint32_t, C> value;
  int64_t index;
};

template <typename C, bool Greatest>
struct finding {
  using compute = C;
  using part = best_at<C>;
  static constexpr bool needs_origin = false;
  bool index_alone;

  __device__ part identity() const { return {weakest<Greatest, C>(), INT64_MAX}; }
  // Indices of a thread increase, so an equal element never replaces an earlier one. INT64_MAX: no element so far.
  __device__ void take(part& best, C x, int64_t i, C) const {
    if (beats<Greatest>(x, C(best.value)) || best.index == INT64_MAX) best = {x, i};
  }
  __device__ part join(part a, part b) const {
    if (beats<Greatest>(b.value, a.value)) return b;
    return !beats<Greatest>(a.value, b.value) && b.index < a.index ? b : a;
  }
  __device__ void store(part best, int64_t, const reduced_value& to, int64_t at, int64_t index_at) const {
    if (index_alone) {
      store_as<int64_t>(to.out, to.dtype, at, best.index);
    } else {
      store_as<C>(to.out, to.dtype, at, C(best.value));
      to.index[index_at] = best.index;
    }
  }
};

template <typename C>
tb_status find_index(const tb_reduction& call, const scope& on) {
  const bool alone = call.op == TB_ARGMAX || call.op == TB_ARGMIN;
  if (call.op == TB_MAX_INDEX || call.op == TB_ARGMAX) return reduce_elements(on, call, finding<C, true>{alone});
  return reduce_elements(on, call, finding<C, false>{alone});
}

}  // namespace

tb_status reduce_arg(const tb_reduction& call, const scope& on) {
  switch (call.compute) {
    case TB_BOOL: return find_index<bool_t>(call, on);
    case TB_I64: return find_index<int64_t>(call, on);
    case TB_F32: return find_index<float>(call, on);
    case TB_F64: return find_index<double>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
