// Scans of very long rows by Thrust, one call per row. The operation is a run-time branch per element, so that only
// four instances of Thrust's scan are compiled.
#include "runtime/thrust.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "rowwise/scan.cuh"

namespace tb_cuda {
namespace {

template <typename Number, typename State>
struct any_reducer;

template <>
struct any_reducer<double, double> {
  int32_t op;
  __device__ double operator()(double a, double b) const {
    return op == TB_CUMSUM    ? running_sum<double, double>::both(a, b)
           : op == TB_CUMPROD ? running_product<double, double>::both(a, b)
                              : running_log_sum::both(a, b);
  }
};
template <>
struct any_reducer<int64_t, uint64_t> {
  int32_t op;
  __device__ uint64_t operator()(uint64_t a, uint64_t b) const { return op == TB_CUMSUM ? a + b : a * b; }
};
template <typename Number>
struct any_reducer<Number, extreme<Number>> {
  int32_t op;
  __device__ extreme<Number> operator()(extreme<Number> a, extreme<Number> b) const {
    return op == TB_CUMMAX ? running_extreme<Number, true>::both(a, b) : running_extreme<Number, false>::both(a, b);
  }
};

// Iterators over a row: row_in(i) is the state of element i, row_out(i, state) stores it.
template <typename Number, typename State>
struct row_in {
  const void* data;
  int64_t step, at;
  int32_t dtype, compute;
  bool sum;
  __device__ State operator()(int64_t i) const {
    const Number x = load_number<Number>(data, dtype, compute, at + i * step);
    if constexpr (std::is_same_v<State, extreme<Number>>)
      return {x, i};
    else
      return sum ? running_sum<Number, State>::of(x, i) : State(x);
  }
};
template <typename Number, typename State>
struct row_out {
  void *data, *index;
  int64_t step, at, index_step, index_at;
  int32_t dtype, compute, index_dtype;
  __device__ void operator()(int64_t i, State x) const {
    store_number(data, dtype, compute, at + i * step, number_of<Number>(x));
    if (index != nullptr) store_as(index, index_dtype, index_at + i * index_step, index_of(x));
  }
};

template <typename Number, typename State>
tb_status scan_each(const tb_rowwise& call, const scope& on) {
  const scan_rows_of rows(call);
  for (int64_t r = 0; r < rows.batch.count; ++r) {
    int64_t at[3] = {};
    for (int64_t d = 0, rest = r; d < rows.batch.ndim; rest /= rows.batch.sizes[d++]) {
      for (int o = 0; o < 3; ++o) at[o] += rest % rows.batch.sizes[d] * rows.batch.strides[o][d];
    }
    const row_in<Number, State> in{rows.in, rows.in_step, at[1], rows.in_dtype, rows.compute, call.op == TB_CUMSUM};
    const row_out<Number, State> out{rows.out, rows.index,     rows.out_step, at[0],           rows.index_step,
                                     at[2],    rows.out_dtype, rows.compute,  rows.index_dtype};
    const any_reducer<Number, State> reducer{call.op};
    const int64_t length = rows.length;
    const tb_status status = run_thrust(on, "a scan", [=](const auto& policy) {
      const auto first = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), in);
      thrust::inclusive_scan(policy, first, first + length, thrust::make_tabulate_output_iterator(out), reducer);
    });
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

}  // namespace

tb_status scan_long_rows(const tb_rowwise& call, const scope& on) {
  const bool real = call.compute == TB_F32 || call.compute == TB_F64;
  if (call.op == TB_CUMMAX || call.op == TB_CUMMIN) {
    return real ? scan_each<double, extreme<double>>(call, on) : scan_each<int64_t, extreme<int64_t>>(call, on);
  }
  return real ? scan_each<double, double>(call, on) : scan_each<int64_t, uint64_t>(call, on);
}

}  // namespace tb_cuda
