// The gradients of softmax, (g - sum(g * y)) * y, and of log_softmax, g - exp(y) * sum(g).
#include "rowwise/softmax.cuh"
#include "rowwise/softmax_in_registers.cuh"
#include "rowwise/softmax_long.cuh"

namespace tb_cuda {
namespace {

template <typename C>
__device__ C gradient_of(C g, C y, C sum, bool logarithm) {
  return logarithm ? g - exponential(y) * sum : (g - sum) * y;
}

template <typename E, int V, int N>
__global__ void __launch_bounds__(reduce_threads, (blocks_keeping<compute_of<E>, N, 2>()))
    softmax_backward_kept(row_space<3> rows, row_groups groups, bool logarithm) {
  using C = compute_of<E>;
  each_kept_row(rows, groups, [&](const int64_t (&at)[3], int n, bool) {
    kept_row<E, V, N> gradient, result;
    gradient.load(groups, rows.row[1], at[1], n, C(0));
    result.load(groups, rows.row[2], at[2], n, C(0));
    double sum = 0;
#pragma unroll
    for (int j = 0; j < N; ++j) sum += double(gradient.x[j]) * (logarithm ? 1 : double(result.x[j]));
    const C whole = C(groups.join<V == 1>(sum, join_sum()));
#pragma unroll
    for (int j = 0; j < N; ++j) gradient.x[j] = gradient_of(gradient.x[j], result.x[j], whole, logarithm);
    gradient.store(groups, rows.row[0], at[0], n);
  });
}

struct kept_kernels {
  const scope& on;
  const row_space<3>& rows;
  bool logarithm;
  template <typename E, int V, int N>
  tb_status run(unsigned grid, row_groups groups) const {
    return launch(on, "softmax_backward", softmax_backward_kept<E, V, N>, grid, reduce_threads, 0, rows, groups,
                  logarithm);
  }
};

template <typename C>
struct gradient_of_long {
  using compute = C;
  struct element {
    C gradient, result;
  };
  struct found {
    double sum;
    __device__ static found none() { return {0}; }
    __device__ static found joined(found a, found b) { return {a.sum + b.sum}; }
  };
  static constexpr int operands = 3;
  static constexpr bool writes_one = false;
  bool logarithm;

  template <typename In>
  __device__ found start(const In&, const int64_t (&)[3]) const {
    return found::none();
  }
  template <typename In>
  __device__ C ready(found all, const In&, const int64_t (&)[3]) const {
    return C(all.sum);
  }
  template <typename In>
  __device__ element load(const In& in, const int64_t (&at)[3], int64_t i) const {
    return {in.template get<C>(1, at, i), in.template get<C>(2, at, i)};
  }
  template <typename In>
  __device__ void take(found& all, element x, const In&, const int64_t (&)[3]) const {
    all.sum += double(x.gradient) * (logarithm ? 1 : double(x.result));
  }
  template <typename In>
  __device__ void put(C sum, element x, const In& in, const int64_t (&at)[3], int64_t i) const {
    in.put(0, at, i, gradient_of(x.gradient, x.result, sum, logarithm));
  }
};

}  // namespace

tb_status softmax_backward(const tb_rowwise& call, const scope& on) {
  const bool logarithm = call.op == TB_LOG_SOFTMAX_BACKWARD;
  const int64_t n = call.row[0].length;
  const row_space<3> rows(call, n);
  const row_layout how(call, 0b111, n);
  if (how.kept) return over_kept_rows(on, how, rows.batch.count, n, kept_kernels{on, rows, logarithm});
  if (call.compute == TB_F32)
    return over_long_rows(on, "softmax_backward", call, 0b111, rows, gradient_of_long<float>{logarithm});
  return over_long_rows(on, "softmax_backward", call, 0b111, rows, gradient_of_long<double>{logarithm});
}

}  // namespace tb_cuda
