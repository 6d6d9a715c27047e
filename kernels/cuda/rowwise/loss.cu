// Negative log likelihood of rows of log-probabilities, its gradient, and totals of losses.
#include "rowwise/loss.cuh"

#include "reduce/block_reduce.cuh"
#include "reduce/sums.cuh"

namespace tb_cuda {
namespace {

// out, weight of the row; in, label, weight.
template <typename C>
__global__ void nll(row_space<5> rows, labels given) {
  for (int64_t r = first_index(); r < rows.batch.count; r += index_step()) {
    int64_t at[5], label;
    double weight;
    rows.batch.at(r, at);
    if (!given.read(at[3], at[4], true, label, weight)) continue;
    rows.row[0].put(at[0], 0, label < 0 ? C(0) : -rows.row[2].get<C>(at[2], label) * C(weight));
    rows.row[1].put(at[1], 0, C(weight));
  }
}

// out; gradient, label, weight. One thread per element; with `beside`, rows are the fastest index.
template <typename C>
__global__ void nll_backward(row_space<4> rows, labels given, bool beside) {
  const int64_t count = rows.batch.count * rows.length;
  for (int64_t e = first_index(); e < count; e += index_step()) {
    const int64_t outer = e / (beside ? rows.batch.count : rows.length);
    const int64_t inner = e - outer * (beside ? rows.batch.count : rows.length);
    const int64_t c = beside ? outer : inner;
    int64_t at[4], label;
    double weight;
    rows.batch.at(beside ? inner : outer, at);
    if (!given.read(at[2], at[3], c == 0, label, weight)) continue;
    rows.row[0].put(at[0], c, c == label ? -rows.row[1].get<C>(at[1], 0) * C(weight) : C(0));
  }
}

// out, sum of the weights; losses, weights. One block per batch position.
template <typename C>
__global__ void __launch_bounds__(reduce_threads) nll_total(row_space<4> rows, bool divided) {
  for (int64_t r = blockIdx.x; r < rows.batch.count; r += gridDim.x) {
    int64_t at[4];
    rows.batch.at(r, at);
    exact_sum sum = exact_sum::of(0), weight = exact_sum::of(0);
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < rows.length; i += reduce_threads) {
      sum.add(rows.row[2].get<double>(at[2], i));
      weight.add(rows.row[3].get<double>(at[3], i));
    }
    sum = join_group(sum, reduce_threads, join_sums());
    weight = join_group(weight, reduce_threads, join_sums());
    if (threadIdx.x != 0) continue;
    rows.row[0].put(at[0], 0, C(divided ? sum.value() / weight.value() : sum.value()));
    rows.row[1].put(at[1], 0, C(weight.value()));
  }
}

template <typename C>
tb_status losses(const tb_rowwise& call, const scope& on) {
  const int64_t ignored = call.number[0].i;
  switch (call.op) {
    case TB_NLL: {
      const row_space<5> rows(call, call.row[2].length);
      const labels given{row_data(call.row[3]), row_data(call.row[4]), ignored, rows.length, report_for(on)};
      return launch_over(on, "nll_loss", rows.batch.count, nll<C>, rows, given);
    }
    case TB_NLL_BACKWARD: {
      const row_space<4> rows(call, call.row[0].length);
      if (rows.length == 0) return TB_OK;
      const labels given{row_data(call.row[2]), row_data(call.row[3]), ignored, rows.length, report_for(on)};
      return launch_over(on, "nll_loss_backward", rows.batch.count * rows.length, nll_backward<C>, rows, given,
                         beside_in(call, 0));
    }
    case TB_NLL_TOTAL: {
      const row_space<4> rows(call, call.row[2].length);
      return launch(on, "nll_loss", nll_total<C>, unsigned(least_of(rows.batch.count, 65536)), reduce_threads, 0, rows,
                    call.number[0].i != 0);
    }
    case TB_CROSS_ENTROPY: return cross_entropy(call, on);
    default: return cross_entropy_backward(call, on);
  }
}

}  // namespace

tb_status loss_rows(const tb_rowwise& given, const scope& on) {
  const tb_rowwise call = collapsed(given);
  switch (call.compute) {
    case TB_F32: return losses<float>(call, on);
    case TB_F64: return losses<double>(call, on);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
