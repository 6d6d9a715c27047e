// Cross entropy of rows: -log_softmax(row)[label] * weight, and its gradient.
#include "rowwise/loss.cuh"
#include "rowwise/softmax_in_registers.cuh"
#include "rowwise/softmax_long.cuh"

namespace tb_cuda {
namespace {

// other_row: the row's weight, or in backward the incoming gradient
enum { out_row, other_row, in_row, label_row, weight_row };

template <typename C>
__device__ C loss_of(C labelled, C greatest, double sum, double weight) {
  return (C(::log(sum)) - (labelled - greatest)) * C(weight);
}

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N>()))
    cross_entropy_kept(row_space<5> rows, row_groups groups, labels given) {
  using C = compute_of<E>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[5], int n, bool active) {
    kept_row<E, V, N> row;
    row.load(groups, rows.row[in_row], at[in_row], n, lowest<C>());
    const peak<C> top = peak_of<V == 1>(row, groups, false);
    if (!active || groups.lane() != 0) return;
    int64_t label;
    double weight;
    if (!given.read(at[label_row], at[weight_row], true, label, weight)) return;
    rows.row[other_row].put(at[other_row], 0, C(weight));
    C loss = C(0);
    if (label >= 0) loss = loss_of(rows.row[in_row].get<C>(at[in_row], label), top.greatest, top.sum, weight);
    rows.row[out_row].put(at[out_row], 0, loss);
  });
}

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N>()))
    cross_entropy_backward_kept(row_space<5> rows, row_groups groups, labels given) {
  using C = compute_of<E>;
  using kept = kept_row<E, V, N>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[5], int n, bool active) {
    kept row;
    row.load(groups, rows.row[in_row], at[in_row], n, lowest<C>());
    const peak<C> top = peak_of<V == 1>(row, groups, true);
    if (!active) return;
    const int lane = groups.lane();
    int64_t label;
    double weight;
    if (!given.read(at[label_row], at[weight_row], lane == 0, label, weight)) return;
    const C gradient = C(rows.row[other_row].get<double>(at[other_row], 0) * weight);
    const C scale = C(1 / top.sum);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const C p = row.x[j] * scale - C(kept::column_of(groups, lane, j) == label ? 1 : 0);
      row.x[j] = label < 0 ? C(0) : p * gradient;
    }
    row.store(groups, rows.row[out_row], at[out_row], n);
  });
}

struct kept_kernels {
  const scope& on;
  const row_space<5>& rows;
  labels given;
  bool backward;
  template <typename E, int V, int N>
  tb_status run(unsigned grid, row_groups groups) const {
    return launch(on, "cross_entropy", backward ? cross_entropy_backward_kept<E, V, N> : cross_entropy_kept<E, V, N>,
                  grid, reduce_threads, 0, rows, groups, given);
  }
};

template <typename C>
struct label_of_long {
  C greatest, scale, log_sum, gradient;
  int64_t label;
  double weight;
  bool good;
};

template <typename C, bool Backward>
struct cross_entropy_of_long {
  using compute = C;
  using element = C;
  using found = online_peak<C>;
  static constexpr int operands = 5;
  static constexpr bool writes_one = !Backward;
  labels given;

  template <typename In>
  __device__ found start(const In&, const int64_t (&)[5]) const {
    return found::none();
  }
  template <typename In>
  __device__ element load(const In& in, const int64_t (&at)[5], int64_t i) const {
    return in.template get<C>(in_row, at, i);
  }
  template <typename In>
  __device__ void take(found& top, C x, const In&, const int64_t (&)[5]) const {
    top.take(x);
  }
  template <typename In>
  __device__ label_of_long<C> ready(const found& top, const In& in, const int64_t (&at)[5]) const {
    label_of_long<C> one{top.greatest, C(1 / top.sum), C(::log(top.sum)), C(0), 0, 0, false};
    one.good = given.read(at[label_row], at[weight_row], threadIdx.x == 0, one.label, one.weight);
    if (Backward && one.good) {
      one.gradient = C(in.template get_any<double>(other_row, at, 0) * one.weight);
    }
    return one;
  }
  template <typename In>
  __device__ void put(const label_of_long<C>& one, C x, const In& in, const int64_t (&at)[5], int64_t i) const {
    if (!one.good) return;
    if constexpr (Backward) {
      const C p = exponential(x - one.greatest) * one.scale - C(i == one.label ? 1 : 0);
      in.put(out_row, at, i, one.label < 0 ? C(0) : p * one.gradient);
    } else {
      in.put_any(other_row, at, 0, C(one.weight));
      C loss = C(0);
      if (one.label >= 0) {
        loss = (one.log_sum - (in.template get<C>(in_row, at, one.label) - one.greatest)) * C(one.weight);
      }
      in.put_any(out_row, at, 0, loss);
    }
  }
};

template <bool Backward>
tb_status run(const tb_rowwise& call, const scope& on) {
  const int64_t n = call.row[in_row].length;
  const row_space<5> rows(call, n);
  const labels given{row_data(call.row[label_row]), row_data(call.row[weight_row]), call.number[0].i, n,
                     report_for(on)};
  const unsigned alike = 1u << in_row | (Backward ? 1u << out_row : 0);
  const row_layout how(call, alike, n);
  if (how.kept) return over_kept_rows(on, how, rows.batch.count, n, kept_kernels{on, rows, given, Backward});
  if (call.compute == TB_F32) {
    return over_long_rows(on, "cross_entropy", call, alike, rows, cross_entropy_of_long<float, Backward>{given});
  }
  return over_long_rows(on, "cross_entropy", call, alike, rows, cross_entropy_of_long<double, Backward>{given});
}

}  // namespace

tb_status cross_entropy(const tb_rowwise& call, const scope& on) { return run<false>(call, on); }
tb_status cross_entropy_backward(const tb_rowwise& call, const scope& on) { return run<true>(call, on); }

}  // namespace tb_cuda
