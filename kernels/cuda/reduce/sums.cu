// Sums, products and counts of nonzero elements.
#include "reduce/sum_reducers.cuh"

namespace tb_cuda {
namespace {

// Floats are multiplied in double, whose range covers intermediate products that overflow a float.
template <typename C>
struct multiplying {
  using compute = C;
  using part = std::conditional_t<std::is_floating_point_v<C>, double, uint64_t>;
  static constexpr bool needs_origin = false;

  __device__ part identity() const { return part(1); }
  __device__ void take(part& all, C x, int64_t, C) const { all *= part(x); }
  __device__ part join(part a, part b) const { return a * b; }
  __device__ void store(part all, int64_t, const reduced_value& to, int64_t at, int64_t) const {
    store_as<C>(to.out, to.dtype, at, C(all));
  }
};

template <typename C>
tb_status sums_of(const tb_reduction& call, const scope& on) {
  switch (call.op) {
    case TB_SUM: return reduce_elements(on, call, adding<C, element>{});
    case TB_NANSUM:
      if constexpr (std::is_floating_point_v<C>) return reduce_elements(on, call, adding<C, number_or_zero>{});
      return reduce_elements(on, call, adding<C, element>{});
    case TB_SUM_SQUARES: return reduce_elements(on, call, adding<C, square>{});
    case TB_PROD: return reduce_elements(on, call, multiplying<C>{});
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace

tb_status reduce_sums(const tb_reduction& call, const scope& on) {
  switch (call.compute) {
    case TB_BOOL:
      if (call.op == TB_COUNT_NONZERO) return reduce_elements(on, call, adding<bool_t, element>{});
      return TB_UNSUPPORTED_DTYPE;
    case TB_I64: return sums_of<int64_t>(call, on);
    case TB_F32: return sums_of<float>(call, on);
    case TB_F64: return sums_of<double>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
