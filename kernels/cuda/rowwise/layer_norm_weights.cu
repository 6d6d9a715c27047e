// The gradients of layer_norm for weight and bias: sums over all rows, per position. Neighbouring threads have
// neighbouring positions; rows are divided among the other threads of a block and among blocks. A second kernel adds
// the blocks' partial sums in a fixed order.
#include "reduce/sums.cuh"
#include "rowwise/layer_norm.cuh"
#include "rowwise/long_rows.cuh"

namespace tb_cuda {
namespace {

enum { of_weight_row, of_bias_row, gradient_row, in_row, mean_row, rstd_row };
constexpr unsigned alike = 1u << gradient_row | 1u << in_row;

template <typename C>
struct weight_sums {
  sum_of<C> product, sum;
};

template <typename C>
__device__ void put_sums(const row_space<6>& rows, const int64_t (&at)[6], const weight_sums<C>& sums) {
  if (rows.row[of_weight_row].data != nullptr) {
    rows.row[of_weight_row].put(at[of_weight_row], 0, C(sums.product.value()));
  }
  if (rows.row[of_bias_row].data != nullptr) rows.row[of_bias_row].put(at[of_bias_row], 0, C(sums.sum.value()));
}

// E is void if the operands have different dtypes.
template <typename C, typename E>
__global__ void __launch_bounds__(reduce_threads)
    sum_columns(row_space<6> rows, int columns, int64_t part, weight_sums<C>* aside) {
  row_access<E, 6> access;
  for (int k = 0; k < 6; ++k) access.row[k] = rows.row[k];
  weight_sums<C>* const shared = dynamic_shared<weight_sums<C>>();
  const int column = int(threadIdx.x) % columns, row = int(threadIdx.x) / columns, together = reduce_threads / columns;
  const int64_t begin = blockIdx.y * part, end = least_of(begin + part, rows.length);
  for (int64_t first = int64_t(blockIdx.x) * columns; first < rows.batch.count; first += int64_t(gridDim.x) * columns) {
    const int64_t position = first + column;
    const bool active = position < rows.batch.count;
    weight_sums<C> sums{sum_of<C>::of(0), sum_of<C>::of(0)};
    int64_t at[6] = {};
    if (active) {
      rows.batch.at(position, at);
#pragma unroll 4
      for (int64_t r = begin + row; r < end; r += together) {
        const double g = double(access.template get<C>(gradient_row, at, r));
        const double mean = access.template get_any<double>(mean_row, at, r);
        const double x = double(access.template get<C>(in_row, at, r)) - mean;
        sums.sum.add(g);
        sums.product.add(g * (x * access.template get_any<double>(rstd_row, at, r)));
      }
    }
    for (int half = together / 2; half > 0; half /= 2) {
      __syncthreads();
      if (row >= half && row < 2 * half) shared[threadIdx.x] = sums;
      __syncthreads();
      if (row < half) {
        sums.product.add(shared[threadIdx.x + half * columns].product);
        sums.sum.add(shared[threadIdx.x + half * columns].sum);
      }
    }
    if (!active || row != 0) continue;
    if (aside == nullptr)
      put_sums(rows, at, sums);
    else
      aside[blockIdx.y * rows.batch.count + position] = sums;
  }
}

template <typename C>
__global__ void __launch_bounds__(reduce_threads)
    join_places(row_space<6> rows, int64_t parts, const weight_sums<C>* aside) {
  for (int64_t position = first_index(); position < rows.batch.count; position += index_step()) {
    weight_sums<C> sums{sum_of<C>::of(0), sum_of<C>::of(0)};
#pragma unroll 4
    for (int64_t p = 0; p < parts; ++p) {
      const weight_sums<C> other = aside[p * rows.batch.count + position];
      sums.product.add(other.product);
      sums.sum.add(other.sum);
    }
    int64_t at[6];
    rows.batch.at(position, at);
    put_sums(rows, at, sums);
  }
}

template <typename C, typename E>
tb_status run(const scope& on, const row_space<6>& rows) {
  const int64_t positions = rows.batch.count;
  const int64_t columns = least_of(32, power_of_two_above(positions)), together = reduce_threads / columns;
  const int64_t blocks = parts_of(positions, columns);
  // Enough blocks to fill the device, but few enough parts for one thread to add.
  int64_t parts = least_of(multiprocessors(on) * 8 / blocks, rows.length / (together * 8));
  parts = parts < 1 ? 1 : parts > 256 ? 256 : parts;
  const int64_t part = parts_of(rows.length < 1 ? 1 : rows.length, parts);
  parts = parts_of(rows.length < 1 ? 1 : rows.length, part);
  const temporary aside(on, parts == 1 ? 0 : uint64_t(parts * positions) * sizeof(weight_sums<C>));
  if (aside.status() != TB_OK) return aside.status();
  auto* const sums = parts == 1 ? nullptr : aside.as<weight_sums<C>>();
  const dim3 grid(unsigned(least_of(blocks, INT64_C(1) << 20)), unsigned(parts));
  const tb_status status = launch(on, "layer_norm_weights", sum_columns<C, E>, grid, reduce_threads,
                                  reduce_threads * sizeof(weight_sums<C>), rows, int(columns), part, sums);
  if (status != TB_OK || parts == 1) return status;
  return launch_over(on, "layer_norm_weights", positions, join_places<C>, rows, parts, sums);
}

}  // namespace

tb_status layer_norm_weights(const tb_rowwise& call, const scope& on) {
  const row_space<6> rows(call, call.row[gradient_row].length);
  const int32_t dtype = common_dtype(call, alike);
  if (!is_row_dtype(dtype, call.compute)) {
    return call.compute == TB_F32 ? run<float, void>(on, rows) : run<double, void>(on, rows);
  }
  return with_float_element(dtype, [&](auto type) {
    using E = typename decltype(type)::type;
    return run<compute_of<E>, E>(on, rows);
  });
}

}  // namespace tb_cuda
