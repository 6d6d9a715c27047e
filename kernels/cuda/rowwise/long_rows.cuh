// Row operations in two passes, for rows too long for registers or with mixed dtypes: a block reduces a row, then
// reads it again and writes the result. If there are few rows, several blocks share a row: their partial results go
// to memory, and a second kernel joins them in a fixed order before it writes. An Op with `writes_one` writes one
// number per row, in put() of element 0.
#pragma once

#include "rowwise/row_registers.cuh"

namespace tb_cuda {

template <typename Found>
struct join_found {
  __device__ Found operator()(Found a, Found b) const { return Found::joined(a, b); }
};

// Operands that all have dtype E, or with E void, any dtypes.
template <typename E, int Operands>
struct row_access {
  row_data row[Operands];

  template <typename C>
  __device__ C get(int k, const int64_t (&at)[Operands], int64_t i) const {
    if constexpr (std::is_void_v<E>) {
      return row[k].template get<C>(at[k], i);
    } else {
      return to_compute<C>(static_cast<const E*>(row[k].data)[at[k] + i * row[k].step]);
    }
  }
  // For an operand that may have another dtype.
  template <typename C>
  __device__ C get_any(int k, const int64_t (&at)[Operands], int64_t i) const {
    return row[k].template get<C>(at[k], i);
  }
  template <typename C>
  __device__ void put(int k, const int64_t (&at)[Operands], int64_t i, C value) const {
    if constexpr (std::is_void_v<E>) {
      row[k].put(at[k], i, value);
    } else {
      static_cast<E*>(row[k].data)[at[k] + i * row[k].step] = from_compute<E>(value);
    }
  }
  template <typename C>
  __device__ void put_any(int k, const int64_t (&at)[Operands], int64_t i, C value) const {
    row[k].put(at[k], i, value);
  }
};

// Calls visit(i, element) for the elements of a part of a row, strided over the block. Loads are issued in groups
// before their first use, to hide latency.
template <typename Op, typename Access, typename Visit>
__device__ void each_element(const Op& op, const Access& access, const int64_t (&at)[Op::operands], int64_t begin,
                             int64_t end, const Visit& visit) {
  constexpr int together = 4;
  int64_t i = begin + threadIdx.x;
  for (; i + (together - 1) * reduce_threads < end; i += together * reduce_threads) {
    typename Op::element x[together];
#pragma unroll
    for (int u = 0; u < together; ++u) x[u] = op.load(access, at, i + u * reduce_threads);
#pragma unroll
    for (int u = 0; u < together; ++u) visit(i + u * reduce_threads, x[u]);
  }
  for (; i < end; i += reduce_threads) visit(i, op.load(access, at, i));
}

template <typename Op, typename Access>
__device__ typename Op::found find_in_row(const Op& op, const Access& access, const int64_t (&at)[Op::operands],
                                          int64_t begin, int64_t end) {
  typename Op::found all = op.start(access, at);
  each_element(op, access, at, begin, end,
               [&](int64_t, const typename Op::element& x) { op.take(all, x, access, at); });
  return join_group(all, reduce_threads, join_found<typename Op::found>());
}

template <typename Op, typename Access, typename Ready>
__device__ void write_row(const Op& op, const Ready& ready, const Access& access, const int64_t (&at)[Op::operands],
                          int64_t begin, int64_t end) {
  if constexpr (Op::writes_one) {
    if (begin == 0 && threadIdx.x == 0) op.put(ready, op.load(access, at, 0), access, at, 0);
  } else {
    each_element(op, access, at, begin, end,
                 [&](int64_t i, const typename Op::element& x) { op.put(ready, x, access, at, i); });
  }
}

template <typename E, typename Op>
__global__ void __launch_bounds__(reduce_threads) long_rows(Op op, row_space<Op::operands> rows) {
  row_access<E, Op::operands> access;
  for (int k = 0; k < Op::operands; ++k) access.row[k] = rows.row[k];
  for (int64_t row = blockIdx.x; row < rows.batch.count; row += gridDim.x) {
    int64_t at[Op::operands];
    rows.batch.at(row, at);
    const auto all = op.ready(find_in_row(op, access, at, 0, rows.length), access, at);
    write_row(op, all, access, at, 0, rows.length);
  }
}

template <typename E, typename Op>
__global__ void __launch_bounds__(reduce_threads)
    find_in_parts(Op op, row_space<Op::operands> rows, int64_t part, typename Op::found* aside) {
  row_access<E, Op::operands> access;
  for (int k = 0; k < Op::operands; ++k) access.row[k] = rows.row[k];
  int64_t at[Op::operands];
  rows.batch.at(blockIdx.y, at);
  const int64_t begin = blockIdx.x * part;
  const typename Op::found all = find_in_row(op, access, at, begin, least_of(begin + part, rows.length));
  if (threadIdx.x == 0) aside[blockIdx.y * int64_t(gridDim.x) + blockIdx.x] = all;
}

template <typename E, typename Op>
__global__ void __launch_bounds__(reduce_threads)
    write_in_parts(Op op, row_space<Op::operands> rows, int64_t part, const typename Op::found* aside) {
  row_access<E, Op::operands> access;
  for (int k = 0; k < Op::operands; ++k) access.row[k] = rows.row[k];
  typename Op::found all = Op::found::none();
  for (unsigned p = threadIdx.x; p < gridDim.x; p += reduce_threads) {
    all = Op::found::joined(all, aside[blockIdx.y * int64_t(gridDim.x) + p]);
  }
  int64_t at[Op::operands];
  rows.batch.at(blockIdx.y, at);
  const auto ready = op.ready(join_group(all, reduce_threads, join_found<typename Op::found>()), access, at);
  const int64_t begin = blockIdx.x * part, end = least_of(begin + part, rows.length);
  write_row(op, ready, access, at, begin, end);
}

template <typename E, typename Op>
tb_status run_long_rows(const scope& on, const char* what, const row_space<Op::operands>& rows, const Op& op) {
  const int64_t processors = multiprocessors(on), count = rows.batch.count;
  const int64_t wanted = least_of(processors * 8 / count, rows.length / 4096);
  if (wanted < 2) {
    return launch(on, what, long_rows<E, Op>, unsigned(least_of(count, INT64_C(1) << 24)), reduce_threads, 0, op, rows);
  }
  const int64_t part = parts_of(rows.length, wanted);
  const dim3 grid(unsigned(parts_of(rows.length, part)), unsigned(count));
  const temporary aside(on, uint64_t(grid.x) * grid.y * sizeof(typename Op::found));
  if (aside.status() != TB_OK) return aside.status();
  auto* const found = aside.as<typename Op::found>();
  const tb_status status = launch(on, what, find_in_parts<E, Op>, grid, reduce_threads, 0, op, rows, part, found);
  if (status != TB_OK) return status;
  return launch(on, what, write_in_parts<E, Op>, grid, reduce_threads, 0, op, rows, part, found);
}

// `alike`: bit mask of the operands that must have one dtype for the typed kernel.
template <typename Op>
tb_status over_long_rows(const scope& on, const char* what, const tb_rowwise& call, unsigned alike,
                         const row_space<Op::operands>& rows, const Op& op) {
  const int32_t dtype = common_dtype(call, alike);
  if (!is_row_dtype(dtype, call.compute)) return run_long_rows<void>(on, what, rows, op);
  return with_float_element(dtype, [&](auto type) -> tb_status {
    using E = typename decltype(type)::type;
    if constexpr (std::is_same_v<compute_of<E>, typename Op::compute>)
      return run_long_rows<E>(on, what, rows, op);
    else
      return TB_UNSUPPORTED_DTYPE;
  });
}

}  // namespace tb_cuda
