// Rows kept in registers: each element is read once and written once.
//
// The threads of a group share a row, N elements each. If neighbouring rows are adjacent in memory, neighbouring
// threads have neighbouring rows, for coalescing.
#pragma once

#include "rowwise/row_space.cuh"

namespace tb_cuda {

constexpr int64_t longest_kept = 32 * reduce_threads;
constexpr int64_t longest_beside = 1024;

// Division of a block into groups of threads, one row each: `width` neighbouring threads, or a column of `across`.
struct row_groups {
  int width;
  int across;  // columns per block; 0: groups are neighbouring threads

  __device__ int lane() const {
    return int(threadIdx.x) % (across > 0 ? reduce_threads : width) / (across > 0 ? across : 1);
  }
  __device__ int mine() const { return across > 0 ? int(threadIdx.x) % across : int(threadIdx.x) / width; }
  __host__ __device__ int count() const { return reduce_threads / width; }

  // Reduces over the group; every thread gets the result. The whole block must call this together.
  template <bool MayStandBeside, typename T, typename Join>
  __device__ T join(T value, const Join& joined) const {
    if constexpr (MayStandBeside) {
      if (across > 0) return join_column(value, joined);
    }
    return join_group(value, width, joined);
  }

 private:
  template <typename T, typename Join>
  __device__ T join_column(T value, const Join& joined) const {
    __shared__ T of_thread[reduce_threads];
    __syncthreads();
    of_thread[threadIdx.x] = value;
    for (int half = reduce_threads / 2; half >= across; half /= 2) {
      __syncthreads();
      if (int(threadIdx.x) < half)
        of_thread[threadIdx.x] = joined(of_thread[threadIdx.x], of_thread[threadIdx.x + half]);
    }
    __syncthreads();
    return of_thread[int(threadIdx.x) % across];
  }
};

// A thread's elements of a row: packs of V, which require contiguous rows, or single elements. Past the end of the
// row they are `other`.
template <typename E, int V, int N>
struct kept_row {
  static_assert(N % V == 0);
  using C = compute_of<E>;
  C x[N];

  // The index in the row of element j.
  static __device__ int column_of(const row_groups& groups, int lane, int j) {
    return (j / V * groups.width + lane) * V + j % V;
  }

  __device__ void load(const row_groups& groups, const row_data& row, int64_t base, int n, C other) {
    const E* const from = static_cast<const E*>(row.data) + base;
    const int lane = groups.lane();
    if constexpr (V > 1) {
      row_pack<E, V> loaded[N / V];
#pragma unroll
      for (int q = 0; q < N / V; ++q) {
        const int i = column_of(groups, lane, q * V);
        if (i < n) loaded[q] = *reinterpret_cast<const row_pack<E, V>*>(from + i);
      }
#pragma unroll
      for (int j = 0; j < N; ++j) {
        x[j] = column_of(groups, lane, j) < n ? to_compute<C>(loaded[j / V].at[j % V]) : other;
      }
    } else {
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const int i = column_of(groups, lane, j);
        x[j] = i < n ? to_compute<C>(from[i * row.step]) : other;
      }
    }
  }

  __device__ void store(const row_groups& groups, const row_data& row, int64_t base, int n) const {
    E* const to = static_cast<E*>(row.data) + base;
    const int lane = groups.lane();
#pragma unroll
    for (int q = 0; q < N / V; ++q) {
      const int i = column_of(groups, lane, q * V);
      if (i >= n) continue;
      if constexpr (V > 1) {
        row_pack<E, V> stored;
#pragma unroll
        for (int v = 0; v < V; ++v) stored.at[v] = from_compute<E>(x[q * V + v]);
        *reinterpret_cast<row_pack<E, V>*>(to + i) = stored;
      } else {
        to[i * row.step] = from_compute<E>(x[q]);
      }
    }
  }
};

// Minimum number of resident blocks per multiprocessor for __launch_bounds__, to hide memory latency. The 256 registers
// per thread are divided among blocks that need N values for each of Rows + 1 rows (one for temporaries), and 40 more.
template <typename C, int N, int Rows = 1>
constexpr int blocks_keeping() {
  const int least = sizeof(C) == 4 ? 2 : 1, blocks = 256 / (N * (Rows + 1) * int(sizeof(C) / 4) + 40);
  return blocks > least ? blocks : least;
}

// The division of rows of one length among threads.
struct row_shape {
  row_groups groups;
  int each;  // elements per thread: 4 (a pack of 8 in half precision), 16 or 32
};

inline row_shape shape_of(int64_t rows, int64_t n, bool beside, int pack, int64_t processors) {
  const int few = pack > 4 ? pack : 4;
  const auto each = [&](int64_t threads) { return n <= few * threads ? few : n <= 16 * threads ? 16 : 32; };
  if (beside && n <= longest_beside) {
    // At least 8 neighbouring rows per access: 32 bytes of float32.
    int across = 32;
    while (across > 8 && n > int64_t(32) * (reduce_threads / across)) across /= 2;
    const int width = reduce_threads / across;
    return {{width, across}, each(width)};
  }
  if (n <= few * lanes_of_warp) {
    return {{int(power_of_two_above(parts_of(n < 1 ? 1 : n, few))), 0}, few};
  }
  const bool crowded = rows >= processors * 16;
  // 16 elements per thread allow higher occupancy than 32, and groups of two warps still synchronize cheaply.
  const int few_warps = n <= 16 * lanes_of_warp ? lanes_of_warp : 2 * lanes_of_warp;
  const int width = n <= 1024 && crowded ? few_warps : reduce_threads;
  return {{width, 0}, each(width)};
}

template <int N>
struct values_each {
  static constexpr int value = N;
};

// Calls f(values_each<N>()) with N = each.
template <typename F>
tb_status with_values(int each, F f) {
  switch (each) {
    case 4: return f(values_each<4>());
    case 8: return f(values_each<8>());
    case 16: return f(values_each<16>());
    default: return f(values_each<32>());
  }
}

// Calls f(element_type<E>()) for the floating-point dtypes that typed row kernels support.
template <typename F>
tb_status with_float_element(int32_t dtype, F f) {
  switch (dtype) {
    case TB_F16: return f(element_type<half>());
    case TB_BF16: return f(element_type<bfloat16>());
    case TB_F32: return f(element_type<float>());
    case TB_F64: return f(element_type<double>());
    default: return TB_UNSUPPORTED_DTYPE;
  }
}
inline bool is_row_dtype(int32_t dtype, int32_t compute) {
  return compute == TB_F64 ? dtype == TB_F64 : dtype == TB_F16 || dtype == TB_BF16 || dtype == TB_F32;
}

// The common dtype of the operands in a bit mask that are present, or -1 if they differ.
inline int32_t common_dtype(const tb_rowwise& call, unsigned set) {
  int32_t dtype = -1;
  for (int k = 0; k < call.operands; ++k) {
    if ((set >> k & 1) == 0 || call.row[k].data == nullptr) continue;
    if (dtype >= 0 && call.row[k].dtype != dtype) return -1;
    dtype = call.row[k].dtype;
  }
  return dtype;
}

// The memory layout of the rows of a set of operands.
struct row_layout {
  bool kept = true;  // short enough for registers, with a dtype that typed kernels support
  bool packed = true, beside = true;
  int32_t dtype;

  // The same without interleaved rows, for kernels that do not support `beside`.
  row_layout in_order() const {
    row_layout other = *this;
    other.beside = false;
    return other;
  }

  row_layout(const tb_rowwise& call, unsigned set, int64_t n) : dtype(common_dtype(call, set)) {
    kept = n <= longest_kept && is_row_dtype(dtype, call.compute);
    for (int k = 0; k < call.operands; ++k) {
      if ((set >> k & 1) == 0 || call.row[k].data == nullptr) continue;
      packed = packed && in_packs(call, k);
      beside = beside && beside_in(call, k);
    }
  }
};

// Calls visit(offsets, n, active) for each row of the group. Past the last row n is 0 and active false, so that all
// threads of a block take part in reductions.
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

// Launches a kernel for kept rows, vectorized if rows are packed. `kernels` has run<E, V, N>(grid, groups).
template <typename Kernels>
tb_status over_kept_rows(const scope& on, const row_layout& how, int64_t rows, int64_t n, Kernels kernels) {
  return with_float_element(how.dtype, [&](auto type) {
    using E = typename decltype(type)::type;
    const auto shaped = [&](auto pack_size) {
      constexpr int V = decltype(pack_size)::value;
      const row_shape shape = shape_of(rows, n, V == 1 && how.beside, V, multiprocessors(on));
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
    return how.packed ? shaped(values_each<pack_of<E>>()) : shaped(values_each<1>());
  });
}

}  // namespace tb_cuda
