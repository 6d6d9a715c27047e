// Cumulative operations: the state along a row, and loads and stores of elements. Floats accumulate in double, as on
// the CPU.
#pragma once

#include "rowwise/rowwise.cuh"

namespace tb_cuda {

// The rows of a call as kernel parameters.
struct scan_rows_of {
  const void* in;
  void* out;
  void* index;  // null if the operation has no index
  int32_t in_dtype, out_dtype, index_dtype;
  int32_t compute;
  int64_t in_step, out_step, index_step;
  int64_t length;
  offsets<3> batch;  // out, in, index

  explicit scan_rows_of(const tb_rowwise& call) {
    const bool indexed = call.op == TB_CUMMAX || call.op == TB_CUMMIN;
    const tb_row_operand &to = call.row[0], &from = call.row[indexed ? 2 : 1], &where = call.row[indexed ? 1 : 0];
    in = from.data;
    out = to.data;
    index = indexed ? where.data : nullptr;
    in_dtype = from.dtype;
    out_dtype = to.dtype;
    index_dtype = where.dtype;
    compute = call.compute;
    in_step = from.step;
    out_step = to.step;
    index_step = where.step;
    length = to.length;
    batch = offsets<3>(call.ndim, call.sizes, [&](int o) { return (o == 0 ? to : o == 1 ? from : where).strides; });
  }
};

// A cumulative maximum or minimum and its index; -1: no elements.
template <typename T>
struct extreme {
  T value;
  int64_t index;
};

// Loads an element through the call's compute type as double or int64_t.
template <typename Number>
__device__ Number load_number(const void* data, int32_t dtype, int32_t compute, int64_t i) {
  if constexpr (std::is_same_v<Number, double>) {
    return compute == TB_F32 ? double(load_as<float>(data, dtype, i)) : load_as<double>(data, dtype, i);
  } else {
    return compute == TB_BOOL ? int64_t(load_as<bool_t>(data, dtype, i)) : load_as<int64_t>(data, dtype, i);
  }
}
template <typename Number>
__device__ void store_number(void* data, int32_t dtype, int32_t compute, int64_t i, Number x) {
  if (compute == TB_F32)
    store_as(data, dtype, i, float(x));
  else
    store_as(data, dtype, i, x);
}

// Each operation has: `number`, the type of elements; `state`; of(), the state of one element; none(), the identity;
// both(), the state of two consecutive ranges.
template <typename Number, typename State>
struct running_sum {
  using number = Number;
  using state = State;
  // Adding 0 turns -0 into 0, as a sum that starts with 0 does.
  __device__ static state of(number x, int64_t) { return State(0) + State(x); }
  __device__ static state none() { return 0; }
  __device__ static state both(state a, state b) { return a + b; }
};
template <typename Number, typename State>
struct running_product {
  using number = Number;
  using state = State;
  __device__ static state of(number x, int64_t) { return State(x); }
  __device__ static state none() { return 1; }
  __device__ static state both(state a, state b) { return a * b; }
};
struct running_log_sum {
  using number = double;
  using state = double;
  __device__ static state of(number x, int64_t) { return x; }
  __device__ static state none() { return -double(INFINITY); }
  // NaN propagates. Infinities are returned directly: their difference may be NaN.
  __device__ static state both(state a, state b) {
    if (isnan(a) || isnan(b)) return a + b;
    const double low = a < b ? a : b, high = a < b ? b : a;
    return isinf(high) ? high : high + log1p(exp(low - high));
  }
};
// The index of the last of equal elements; after a NaN, of the last NaN.
template <typename Number, bool Greatest>
struct running_extreme {
  using number = Number;
  using state = extreme<Number>;
  __device__ static state of(number x, int64_t i) { return {x, i}; }
  __device__ static state none() { return {Number(0), -1}; }
  __device__ static state both(state a, state b) {
    if (b.index < 0) return a;
    if (a.index < 0 || b.value != b.value) return b;
    return (Greatest ? b.value >= a.value : b.value <= a.value) ? b : a;
  }
};

template <typename Number, typename State>
__device__ Number number_of(State x) {
  return Number(x);
}
template <typename Number>
__device__ Number number_of(extreme<Number> x) {
  return x.value;
}
template <typename State>
__device__ int64_t index_of(State) {
  return 0;
}
template <typename Number>
__device__ int64_t index_of(extreme<Number> x) {
  return x.index;
}

// Calls run(operation); TB_UNSUPPORTED_DTYPE if the operation does not support the compute type.
template <typename Run>
tb_status with_scan(const tb_rowwise& call, Run run) {
  const bool real = call.compute == TB_F32 || call.compute == TB_F64;
  const bool whole = call.compute == TB_I64 || call.compute == TB_BOOL;
  switch (call.op) {
    case TB_CUMSUM:
      if (real) return run(running_sum<double, double>());
      return call.compute == TB_I64 ? run(running_sum<int64_t, uint64_t>()) : TB_UNSUPPORTED_DTYPE;
    case TB_CUMPROD:
      if (real) return run(running_product<double, double>());
      return call.compute == TB_I64 ? run(running_product<int64_t, uint64_t>()) : TB_UNSUPPORTED_DTYPE;
    case TB_LOGCUMSUMEXP: return real ? run(running_log_sum()) : TB_UNSUPPORTED_DTYPE;
    case TB_CUMMAX:
      if (real) return run(running_extreme<double, true>());
      return whole ? run(running_extreme<int64_t, true>()) : TB_UNSUPPORTED_DTYPE;
    case TB_CUMMIN:
      if (real) return run(running_extreme<double, false>());
      return whole ? run(running_extreme<int64_t, false>()) : TB_UNSUPPORTED_DTYPE;
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

// Few and very long rows, each scanned by the whole device (scan_long.cu).
tb_status scan_long_rows(const tb_rowwise& call, const scope& on);

}  // namespace tb_cuda
