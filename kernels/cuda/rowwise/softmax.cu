// Softmax and log_softmax of rows: in registers if the row fits, else in two passes over memory.
#include "rowwise/softmax.cuh"
#include "rowwise/softmax_in_registers.cuh"
#include "rowwise/softmax_long.cuh"

namespace tb_cuda {
namespace {

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N>()))
    softmax_kept(row_space<2> rows, row_groups groups, bool logarithm) {
  using C = compute_of<E>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[2], int n, bool) {
    kept_row<E, V, N> row;
    row.load(groups, rows.row[1], at[1], n, lowest<C>());
    const peak<C> top = peak_of<V == 1>(row, groups, !logarithm);
    const C log_sum = top.log_sum(), scale = C(1 / top.sum);
#pragma unroll
    for (C& x : row.x) x = logarithm ? x - top.greatest - log_sum : x * scale;
    row.store(groups, rows.row[0], at[0], n);
  });
}

struct kept_kernels {
  const scope& on;
  const row_space<2>& rows;
  bool logarithm;
  template <typename E, int V, int N>
  tb_status run(unsigned grid, row_groups groups) const {
    return launch(on, "softmax", softmax_kept<E, V, N>, grid, reduce_threads, 0, rows, groups, logarithm);
  }
};

template <typename C>
struct softmax_of_long {
  using compute = C;
  using element = C;
  using found = online_peak<C>;
  static constexpr int operands = 2;
  static constexpr bool writes_one = false;
  bool logarithm;

  struct peak_as_used {
    C greatest, scale, log_sum;
  };

  template <typename In>
  __device__ found start(const In&, const int64_t (&)[2]) const {
    return found::none();
  }
  template <typename In>
  __device__ peak_as_used ready(const found& top, const In&, const int64_t (&)[2]) const {
    return {top.greatest, C(1 / top.sum), C(::log(top.sum))};
  }
  template <typename In>
  __device__ element load(const In& in, const int64_t (&at)[2], int64_t i) const {
    return in.template get<C>(1, at, i);
  }
  template <typename In>
  __device__ void take(found& top, C x, const In&, const int64_t (&)[2]) const {
    top.take(x);
  }
  template <typename In>
  __device__ void put(const peak_as_used& top, C given, const In& in, const int64_t (&at)[2], int64_t i) const {
    const C x = given - top.greatest;
    in.put(0, at, i, logarithm ? x - top.log_sum : exponential(x) * top.scale);
  }
};

}  // namespace

tb_status softmax_forward(const tb_rowwise& call, const scope& on) {
  const bool logarithm = call.op == TB_LOG_SOFTMAX;
  const int64_t n = call.row[0].length;
  const row_space<2> rows(call, n);
  const row_layout how(call, 0b11, n);
  if (how.kept) return over_kept_rows(on, how, rows.batch.count, n, kept_kernels{on, rows, logarithm});
  if (call.compute == TB_F32) return over_long_rows(on, "softmax", call, 0b11, rows, softmax_of_long<float>{logarithm});
  return over_long_rows(on, "softmax", call, 0b11, rows, softmax_of_long<double>{logarithm});
}

tb_status softmax_rows(const tb_rowwise& given, const scope& on) {
  if (given.compute != TB_F32 && given.compute != TB_F64) return TB_UNSUPPORTED_DTYPE;
  const tb_rowwise call = collapsed(given);
  if (call.row[0].length == 0) return TB_OK;
  const bool forward = call.op == TB_SOFTMAX || call.op == TB_LOG_SOFTMAX;
  return forward ? softmax_forward(call, on) : softmax_backward(call, on);
}

}  // namespace tb_cuda
