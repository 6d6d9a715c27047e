// Softmax of rows that are kept in registers, and what its results are made of.
#pragma once

#include "row_registers.cuh"

namespace tb_cuda {

template <typename C>
__device__ C exponential(C x) {
  if constexpr (std::is_same_v<C, float>) return ::expf(x);
  else return ::exp(x);
}

template <typename C>
constexpr C lowest() {
  return -C(INFINITY);
}

// The greatest element of a row and the sum of exponentials of the distances from it. A NaN is never the greatest; it
// makes the sum one.
template <typename C>
struct peak {
  C greatest;
  double sum;

  __device__ C log_sum() const { return C(::log(sum)); }
};

// Of a kept row, whose elements become those exponentials with `exponentiate`.
template <bool MayStandBeside, typename Row>
__device__ auto peak_of(Row& row, const row_groups& groups, bool exponentiate) {
  using C = typename Row::C;
  C greatest = lowest<C>();
#pragma unroll
  for (const C x : row.x) greatest = x > greatest ? x : greatest;
  greatest = groups.join<MayStandBeside>(greatest, join_greater());
  double sum = 0;
#pragma unroll
  for (C& x : row.x) {
    const C e = exponential(x - greatest);
    sum += double(e);
    if (exponentiate) x = e;
  }
  return peak<C>{greatest, groups.join<MayStandBeside>(sum, join_sum())};
}

// Runs `visit(base, n, active)` for each row of the group; rows beyond the last are empty, so that all threads of a
// block take part in what they find together.
template <int Operands, typename Visit>
__device__ void each_kept_row(const row_space<Operands>& rows, const row_groups& groups, const Visit& visit) {
  for (int64_t first = int64_t(blockIdx.x) * groups.count(); first < rows.batch.count;
       first += int64_t(gridDim.x) * groups.count()) {
    const int64_t row = first + groups.mine();
    int64_t at[Operands] = {};
    if (row < rows.batch.count) rows.batch.at(row, at);
    visit(at, row < rows.batch.count ? int(rows.length) : 0, row < rows.batch.count);
  }
}

// Launches a kernel for kept rows: one for packs, one for the rest. `kernels` has run<E, V, N>().
template <typename Kernels>
tb_status over_kept_rows(const scope& on, const tb_rowwise& call, int32_t dtype, int64_t rows, int64_t n, bool packed,
                         bool beside, Kernels kernels) {
  return with_float_element(dtype, [&](auto type) {
    using E = typename decltype(type)::type;
    const auto shaped = [&](auto pack_size) {
      constexpr int V = decltype(pack_size)::value;
      const row_shape shape = shape_of(rows, n, V == 1 && beside, V, multiprocessors(on));
      const unsigned grid = unsigned(least_of(parts_of(rows, shape.groups.count()), INT64_C(1) << 20));
      return with_values(shape.each, [&](auto each) -> tb_status {
        constexpr int N = decltype(each)::value;
        if constexpr (N % V == 0 && (N != 8 || V == 8)) {
          return kernels.template run<E, V, N>(grid, shape.groups);
        } else {
          return TB_UNSUPPORTED_DTYPE;
        }
      });
    };
    return packed ? shaped(values_each<pack_of<E>>()) : shaped(values_each<1>());
  });
}

}  // namespace tb_cuda
