// Layer norm. Sums are of differences from the row's first element, in double, so that a large mean causes no
// cancellation.
#include "rowwise/layer_norm.cuh"

#include "rowwise/long_rows.cuh"

namespace tb_cuda {
namespace {

enum { out_row, mean_row, rstd_row, in_row, weight_row, bias_row };
constexpr unsigned alike = 1u << out_row | 1u << in_row | 1u << weight_row | 1u << bias_row;

__device__ double finite_or_zero(double x) { return x - x == 0 ? x : 0; }

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N, 2>()))
    layer_norm_kept(row_space<6> rows, row_groups groups, double epsilon) {
  using C = compute_of<E>;
  using kept = kept_row<E, V, N>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[6], int n, bool active) {
    double start = 0;
    if (n > 0) start = finite_or_zero(double(to_compute<C>(static_cast<const E*>(rows.row[in_row].data)[at[in_row]])));
    kept row;
    row.load(groups, rows.row[in_row], at[in_row], n, C(start));
    double sum = 0;
#pragma unroll
    for (const C x : row.x) sum += double(x) - start;
    const double mean = groups.join<false>(sum, join_sum()) / double(rows.length);
    const int lane = groups.lane();
    double squares = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const double d = double(row.x[j]) - start - mean;
      if (kept::column_of(groups, lane, j) < n) squares += d * d;
    }
    const double rstd = 1 / ::sqrt(groups.join<false>(squares, join_sum()) / double(rows.length) + epsilon);
    if (active && lane == 0) {
      if (rows.row[mean_row].data != nullptr) rows.row[mean_row].put(at[mean_row], 0, C(start + mean));
      if (rows.row[rstd_row].data != nullptr) rows.row[rstd_row].put(at[rstd_row], 0, C(rstd));
    }
    const C scale = C(rstd);
#pragma unroll
    for (C& x : row.x) x = C(double(x) - start - mean) * scale;
    if (rows.row[weight_row].data != nullptr) {
      kept weight;
      weight.load(groups, rows.row[weight_row], at[weight_row], n, C(0));
#pragma unroll
      for (int j = 0; j < N; ++j) row.x[j] *= weight.x[j];
    }
    if (rows.row[bias_row].data != nullptr) {
      kept bias;
      bias.load(groups, rows.row[bias_row], at[bias_row], n, C(0));
#pragma unroll
      for (int j = 0; j < N; ++j) row.x[j] += bias.x[j];
    }
    row.store(groups, rows.row[out_row], at[out_row], n);
  });
}

struct kept_kernels {
  const scope& on;
  const row_space<6>& rows;
  double epsilon;
  template <typename E, int V, int N>
  tb_status run(unsigned grid, row_groups groups) const {
    return launch(on, "layer_norm", layer_norm_kept<E, V, N>, grid, reduce_threads, 0, rows, groups, epsilon);
  }
};

// The first element is at most sqrt(length) standard deviations from the mean, so the sum of squares minus length *
// mean^2 loses at most log2(length) bits of a double.
template <typename C>
struct layer_norm_of_long {
  using compute = C;
  using element = C;
  struct found {
    double start, sum, squares;
    __device__ static found none() { return {0, 0, 0}; }
    // start is 0 (none) or the row's first element, the same for all threads.
    __device__ static found joined(found a, found b) {
      return {a.start != 0 ? a.start : b.start, a.sum + b.sum, a.squares + b.squares};
    }
  };
  struct moments {
    double start, mean, rstd;
  };
  static constexpr int operands = 6;
  static constexpr bool writes_one = false;
  double epsilon;
  int64_t length;

  template <typename In>
  __device__ found start(const In& in, const int64_t (&at)[6]) const {
    return {finite_or_zero(double(in.template get<C>(in_row, at, 0))), 0, 0};
  }
  template <typename In>
  __device__ element load(const In& in, const int64_t (&at)[6], int64_t i) const {
    return in.template get<C>(in_row, at, i);
  }
  template <typename In>
  __device__ void take(found& sums, C x, const In&, const int64_t (&)[6]) const {
    const double d = double(x) - sums.start;
    sums.sum += d;
    sums.squares += d * d;
  }
  template <typename In>
  __device__ moments ready(found sums, const In&, const int64_t (&)[6]) const {
    const double mean = sums.sum / double(length);
    const double squares = sums.squares - sums.sum * mean;
    return {sums.start, mean, 1 / ::sqrt((squares < 0 ? 0 : squares) / double(length) + epsilon)};
  }
  template <typename In>
  __device__ void put(const moments& m, C given, const In& in, const int64_t (&at)[6], int64_t i) const {
    C x = C(double(given) - m.start - m.mean) * C(m.rstd);
    if (in.row[weight_row].data != nullptr) x *= in.template get<C>(weight_row, at, i);
    if (in.row[bias_row].data != nullptr) x += in.template get<C>(bias_row, at, i);
    in.put(out_row, at, i, x);
    if (i != 0) return;
    if (in.row[mean_row].data != nullptr) in.put_any(mean_row, at, 0, C(m.start + m.mean));
    if (in.row[rstd_row].data != nullptr) in.put_any(rstd_row, at, 0, C(m.rstd));
  }
};

}  // namespace

tb_status layer_norm(const tb_rowwise& call, const scope& on) {
  const int64_t n = call.row[in_row].length;
  const double epsilon = call.number[0].f;
  const row_space<6> rows(call, n);
  const row_layout how(call, alike, n);
  if (how.kept) return over_kept_rows(on, how.in_order(), rows.batch.count, n, kept_kernels{on, rows, epsilon});
  if (call.compute == TB_F32) {
    return over_long_rows(on, "layer_norm", call, alike, rows, layer_norm_of_long<float>{epsilon, n});
  }
  return over_long_rows(on, "layer_norm", call, alike, rows, layer_norm_of_long<double>{epsilon, n});
}

tb_status norm_rows(const tb_rowwise& given, const scope& on) {
  if (given.compute != TB_F32 && given.compute != TB_F64) return TB_UNSUPPORTED_DTYPE;
  const tb_rowwise call = collapsed(given);
  switch (call.op) {
    case TB_LAYER_NORM: return layer_norm(call, on);
    case TB_RMS_NORM: return rms_norm(call, on);
    case TB_LAYER_NORM_BACKWARD: return layer_norm_backward(call, on);
    default: return layer_norm_weights(call, on);
  }
}

}  // namespace tb_cuda
