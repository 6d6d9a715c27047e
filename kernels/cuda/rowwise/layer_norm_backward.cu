// The gradient of layer_norm for its input. With x the normalised input and g the gradient times weight:
// rstd * (g - mean(g) - x * mean(g * x)).
#include "rowwise/layer_norm.cuh"
#include "rowwise/long_rows.cuh"

namespace tb_cuda {
namespace {

enum { out_row, gradient_row, in_row, mean_row, rstd_row, weight_row };
constexpr unsigned alike = 1u << out_row | 1u << gradient_row | 1u << in_row | 1u << weight_row;

template <typename C>
__device__ C gradient_of(C g, C x, double sum, double product, int64_t length, C rstd) {
  return rstd * (g - C(sum / double(length)) - x * C(product / double(length)));
}

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N, 2>()))
    layer_norm_backward_kept(row_space<6> rows, row_groups groups) {
  using C = compute_of<E>;
  using kept = kept_row<E, V, N>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[6], int n, bool active) {
    kept gradient, row;
    gradient.load(groups, rows.row[gradient_row], at[gradient_row], n, C(0));
    row.load(groups, rows.row[in_row], at[in_row], n, C(0));
    const C mean = active ? rows.row[mean_row].get<C>(at[mean_row], 0) : C(0);
    const C rstd = active ? rows.row[rstd_row].get<C>(at[rstd_row], 0) : C(0);
    if (rows.row[weight_row].data != nullptr) {
      kept weight;
      weight.load(groups, rows.row[weight_row], at[weight_row], n, C(0));
#pragma unroll
      for (int j = 0; j < N; ++j) gradient.x[j] *= weight.x[j];
    }
    // Past the end of the row g is 0.
    double sum = 0, product = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      row.x[j] = (row.x[j] - mean) * rstd;
      sum += double(gradient.x[j]);
      product += double(gradient.x[j]) * double(row.x[j]);
    }
    sum = groups.join<false>(sum, join_sum());
    product = groups.join<false>(product, join_sum());
#pragma unroll
    for (int j = 0; j < N; ++j) {
      row.x[j] = gradient_of(gradient.x[j], row.x[j], sum, product, rows.length, rstd);
    }
    row.store(groups, rows.row[out_row], at[out_row], n);
  });
}

struct kept_kernels {
  const scope& on;
  const row_space<6>& rows;
  template <typename E, int V, int N>
  tb_status run(unsigned grid, row_groups groups) const {
    return launch(on, "layer_norm_backward", layer_norm_backward_kept<E, V, N>, grid, reduce_threads, 0, rows, groups);
  }
};

template <typename C>
struct gradient_of_long {
  using compute = C;
  struct element {
    C gradient, normalised;
  };
  struct found {
    double sum, product;
    __device__ static found none() { return {0, 0}; }
    __device__ static found joined(found a, found b) { return {a.sum + b.sum, a.product + b.product}; }
  };
  static constexpr int operands = 6;
  static constexpr bool writes_one = false;
  int64_t length;

  template <typename In>
  __device__ element load(const In& in, const int64_t (&at)[6], int64_t i) const {
    const C mean = in.template get_any<C>(mean_row, at, 0), rstd = in.template get_any<C>(rstd_row, at, 0);
    const C g = in.template get<C>(gradient_row, at, i);
    return {in.row[weight_row].data == nullptr ? g : g * in.template get<C>(weight_row, at, i),
            (in.template get<C>(in_row, at, i) - mean) * rstd};
  }
  template <typename In>
  __device__ found start(const In&, const int64_t (&)[6]) const {
    return found::none();
  }
  template <typename In>
  __device__ void take(found& sums, element x, const In&, const int64_t (&)[6]) const {
    sums.sum += double(x.gradient);
    sums.product += double(x.gradient) * double(x.normalised);
  }
  template <typename In>
  __device__ found ready(found sums, const In&, const int64_t (&)[6]) const {
    return sums;
  }
  template <typename In>
  __device__ void put(const found& sums, element x, const In& in, const int64_t (&at)[6], int64_t i) const {
    const C rstd = in.template get_any<C>(rstd_row, at, 0);
    in.put(out_row, at, i, gradient_of(x.gradient, x.normalised, sums.sum, sums.product, length, rstd));
  }
};

}  // namespace

tb_status layer_norm_backward(const tb_rowwise& call, const scope& on) {
  const int64_t n = call.row[out_row].length;
  const row_space<6> rows(call, n);
  const row_layout how(call, alike, n);
  if (how.kept) return over_kept_rows(on, how.in_order(), rows.batch.count, n, kept_kernels{on, rows});
  if (call.compute == TB_F32) {
    return over_long_rows(on, "layer_norm_backward", call, alike, rows, gradient_of_long<float>{n});
  }
  return over_long_rows(on, "layer_norm_backward", call, alike, rows, gradient_of_long<double>{n});
}

}  // namespace tb_cuda
