// RMS norm: scales rows to mean square 1. Squares are summed in double, which holds the square of any float.
#include "rowwise/layer_norm.cuh"
#include "rowwise/long_rows.cuh"

namespace tb_cuda {
namespace {

enum { out_row, rstd_row, in_row, weight_row };
constexpr unsigned alike = 1u << out_row | 1u << in_row | 1u << weight_row;

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N>()))
    rms_norm_kept(row_space<4> rows, row_groups groups, double epsilon) {
  using C = compute_of<E>;
  using kept = kept_row<E, V, N>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[4], int n, bool active) {
    kept row;
    row.load(groups, rows.row[in_row], at[in_row], n, C(0));
    double squares = 0;
#pragma unroll
    for (const C x : row.x) squares += double(x) * double(x);
    const double rstd = 1 / ::sqrt(groups.join<false>(squares, join_sum()) / double(rows.length) + epsilon);
    if (active && groups.lane() == 0 && rows.row[rstd_row].data != nullptr) {
      rows.row[rstd_row].put(at[rstd_row], 0, C(rstd));
    }
    const C scale = C(rstd);
#pragma unroll
    for (C& x : row.x) x *= scale;
    if (rows.row[weight_row].data != nullptr) {
      kept weight;
      weight.load(groups, rows.row[weight_row], at[weight_row], n, C(0));
#pragma unroll
      for (int j = 0; j < N; ++j) row.x[j] *= weight.x[j];
    }
    row.store(groups, rows.row[out_row], at[out_row], n);
  });
}

struct kept_kernels {
  const scope& on;
  const row_space<4>& rows;
  double epsilon;
  template <typename E, int V, int N>
  tb_status run(unsigned grid, row_groups groups) const {
    return launch(on, "rms_norm", rms_norm_kept<E, V, N>, grid, reduce_threads, 0, rows, groups, epsilon);
  }
};

template <typename C>
struct rms_norm_of_long {
  using compute = C;
  using element = C;
  struct found {
    double squares;
    __device__ static found none() { return {0}; }
    __device__ static found joined(found a, found b) { return {a.squares + b.squares}; }
  };
  static constexpr int operands = 4;
  static constexpr bool writes_one = false;
  double epsilon;
  int64_t length;

  template <typename In>
  __device__ found start(const In&, const int64_t (&)[4]) const {
    return found::none();
  }
  template <typename In>
  __device__ element load(const In& in, const int64_t (&at)[4], int64_t i) const {
    return in.template get<C>(in_row, at, i);
  }
  template <typename In>
  __device__ void take(found& all, C x, const In&, const int64_t (&)[4]) const {
    all.squares += double(x) * double(x);
  }
  template <typename In>
  __device__ C ready(found all, const In&, const int64_t (&)[4]) const {
    return C(1 / ::sqrt(all.squares / double(length) + epsilon));
  }
  template <typename In>
  __device__ void put(C rstd, C given, const In& in, const int64_t (&at)[4], int64_t i) const {
    C x = given * rstd;
    if (in.row[weight_row].data != nullptr) x *= in.template get<C>(weight_row, at, i);
    in.put(out_row, at, i, x);
    if (i == 0 && in.row[rstd_row].data != nullptr) in.put_any(rstd_row, at, 0, rstd);
  }
};

}  // namespace

tb_status rms_norm(const tb_rowwise& call, const scope& on) {
  const int64_t n = call.row[in_row].length;
  const double epsilon = call.number[0].f;
  const row_space<4> rows(call, n);
  const row_layout how(call, alike, n);
  if (how.kept) return over_kept_rows(on, how.in_order(), rows.batch.count, n, kept_kernels{on, rows, epsilon});
  if (call.compute == TB_F32) {
    return over_long_rows(on, "rms_norm", call, alike, rows, rms_norm_of_long<float>{epsilon, n});
  }
  return over_long_rows(on, "rms_norm", call, alike, rows, rms_norm_of_long<double>{epsilon, n});
}

}  // namespace tb_cuda
