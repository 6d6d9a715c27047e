// Copies between any two dtypes and strides. With equal dtypes, elements are raw bytes, and contiguous ones are
// merged into units of up to 16 bytes. Transposed matrices are copied through tiles in shared memory; contiguous
// elements are converted in vectors.
#include "elementwise/copy.cuh"

#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

constexpr const char* what = "a copy";

struct alignas(16) sixteen_bytes {
  uint64_t half[2];
};

struct unit_call {
  void* to;
  const void* from;
  offsets<2> element_offsets;
};

// Units per thread. All are loaded before the first is stored.
template <typename Unit>
constexpr int units_of_thread = sizeof(Unit) < 16 ? 4 : 2;

template <typename Unit>
__global__ void __launch_bounds__(block_threads) copy_units(unit_call call) {
  constexpr int most = units_of_thread<Unit>;
  for (int64_t first = first_index(); first < call.element_offsets.count; first += most * index_step()) {
    Unit unit[most];
    int64_t to[most];
#pragma unroll
    for (int u = 0; u < most; ++u) {
      const int64_t i = first + u * index_step();
      if (i >= call.element_offsets.count) break;
      int64_t offset[2];
      call.element_offsets.at(i, offset);
      to[u] = offset[0];
      unit[u] = static_cast<const Unit*>(call.from)[offset[1]];
    }
#pragma unroll
    for (int u = 0; u < most; ++u) {
      if (first + u * index_step() >= call.element_offsets.count) break;
      static_cast<Unit*>(call.to)[to[u]] = unit[u];
    }
  }
}

struct any_call {
  void* to;
  const void* from;
  int32_t to_dtype, from_dtype;
  offsets<2> element_offsets;
};

template <typename C>
__global__ void __launch_bounds__(block_threads) convert_any(any_call call) {
  for (int64_t i = first_index(); i < call.element_offsets.count; i += index_step()) {
    int64_t offset[2];
    call.element_offsets.at(i, offset);
    store_as(call.to, call.to_dtype, offset[0], load_as<C>(call.from, call.from_dtype, offset[1]));
  }
}

// A block of 32 x 8 threads per tile of 32 x 32.
constexpr int tile = 32, tile_rows = 8;
constexpr int64_t most_blocks = INT64_C(0x7fffffff);

// A batch of matrices where rows of the destination are columns of the source, both contiguous. `matrix_offsets` has
// the offsets of the matrices.
struct transposed_call {
  void* to;
  const void* from;
  int64_t width, height;     // of the destination
  int64_t to_row, from_row;  // row strides
  divider tiles, across;     // by the tiles of a matrix, and by the tiles of one row of tiles
  int32_t to_dtype, from_dtype;
  offsets<2> matrix_offsets;
};

// Each block transposes a tile. Its rows are padded by one element, so that a column has no bank conflicts.
template <typename Load, typename Store, typename T>
__device__ void transpose_tile(const transposed_call& call, T (&transposed)[tile][tile + 1], Load load, Store store) {
  const int x = int(threadIdx.x), y = int(threadIdx.y);
  const uint32_t matrix = call.tiles.quotient(blockIdx.x), tile_of_matrix = blockIdx.x - matrix * call.tiles.divisor;
  const uint32_t down = call.across.quotient(tile_of_matrix), right = tile_of_matrix - down * call.across.divisor;
  const int64_t j = int64_t(down) * tile, i = int64_t(right) * tile;
  int64_t offset[2];
  call.matrix_offsets.at(matrix, offset);
  T held[tile / tile_rows];
#pragma unroll
  for (int k = 0; k < tile / tile_rows; ++k) {
    const int r = y + k * tile_rows;
    if (i + r < call.width && j + x < call.height) {
      held[k] = load(call, offset[1] + (i + r) * call.from_row + j + x);
    }
  }
#pragma unroll
  for (int k = 0; k < tile / tile_rows; ++k) {
    const int r = y + k * tile_rows;
    if (i + r < call.width && j + x < call.height) transposed[r][x] = held[k];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < tile / tile_rows; ++k) {
    const int r = y + k * tile_rows;
    if (j + r < call.height && i + x < call.width) {
      store(call, offset[0] + (j + r) * call.to_row + i + x, transposed[x][r]);
    }
  }
}

template <typename Unit>
struct load_unit {
  __device__ Unit operator()(const transposed_call& call, int64_t i) const {
    return static_cast<const Unit*>(call.from)[i];
  }
};
template <typename Unit>
struct store_unit {
  __device__ void operator()(const transposed_call& call, int64_t i, Unit unit) const {
    static_cast<Unit*>(call.to)[i] = unit;
  }
};
template <typename C>
struct load_converted {
  __device__ C operator()(const transposed_call& call, int64_t i) const {
    return load_as<C>(call.from, call.from_dtype, i);
  }
};
template <typename C>
struct store_converted {
  __device__ void operator()(const transposed_call& call, int64_t i, C c) const {
    store_as(call.to, call.to_dtype, i, c);
  }
};

template <typename Unit>
__global__ void __launch_bounds__(tile* tile_rows) transpose_units(transposed_call call) {
  __shared__ Unit transposed[tile][tile + 1];
  transpose_tile(call, transposed, load_unit<Unit>(), store_unit<Unit>());
}
template <typename C>
__global__ void __launch_bounds__(tile* tile_rows) transpose_any(transposed_call call) {
  __shared__ C transposed[tile][tile + 1];
  transpose_tile(call, transposed, load_converted<C>(), store_converted<C>());
}

// Calls f(element_type<C>()) with the compute type C of the dtype.
template <typename F>
tb_status with_compute(int32_t dtype, F f) {
  switch (dtype) {
    case TB_BOOL: return f(element_type<bool_t>());
    case TB_F16:
    case TB_BF16:
    case TB_F32: return f(element_type<float>());
    case TB_F64: return f(element_type<double>());
    default: return f(element_type<int64_t>());
  }
}

// Rewrites the plan in units as large as alignment, sizes and strides allow; strides become units. Returns the bytes
// of a unit.
int64_t widen(tb_plan& plan) {
  int64_t bytes = bytes_of[plan.operand[0].dtype];
  if (plan.operand[0].strides[0] != 1 || plan.operand[1].strides[0] != 1) return bytes;
  for (; bytes < 16; bytes *= 2) {
    bool even = plan.sizes[0] % 2 == 0;
    for (int o = 0; o < 2; ++o) {
      even = even && reinterpret_cast<uintptr_t>(plan.operand[o].data) % uint64_t(2 * bytes) == 0;
      for (int d = 1; d < plan.ndim; ++d) even = even && (plan.sizes[d] == 1 || plan.operand[o].strides[d] % 2 == 0);
    }
    if (!even) break;
    plan.sizes[0] /= 2;
    for (int o = 0; o < 2; ++o) {
      for (int d = 1; d < plan.ndim; ++d) plan.operand[o].strides[d] /= 2;
    }
  }
  return bytes;
}

template <typename Unit>
tb_status copy_in_units(const unit_call& call, const scope& on) {
  const int64_t threads = (call.element_offsets.count + units_of_thread<Unit> - 1) / units_of_thread<Unit>;
  return launch_over(on, what, threads, copy_units<Unit>, call);
}

tb_status copy_same(const tb_plan& given, const scope& on) {
  tb_plan plan = given;
  const int64_t bytes = widen(plan);
  const unit_call call{plan.operand[0].data, plan.operand[1].data, offsets<2>(plan)};
  switch (bytes) {
    case 1: return copy_in_units<uint8_t>(call, on);
    case 2: return copy_in_units<uint16_t>(call, on);
    case 4: return copy_in_units<uint32_t>(call, on);
    case 8: return copy_in_units<uint64_t>(call, on);
    default: return copy_in_units<sixteen_bytes>(call, on);
  }
}

int64_t tiles_over(int64_t size) { return (size + tile - 1) / tile; }

// The dimension along which the source is contiguous while the destination is contiguous along dimension 0; 0 if
// there is none or the matrix is too small for tiles.
int across(const tb_plan& plan, int64_t count) {
  const tb_operand &to = plan.operand[0], &from = plan.operand[1];
  if (to.strides[0] != 1 || from.strides[0] == 1 || from.strides[0] == 0 || plan.sizes[0] < 8) return 0;
  for (int d = 1; d < plan.ndim; ++d) {
    const int64_t matrix = plan.sizes[0] * plan.sizes[d];
    const int64_t blocks = count / matrix * tiles_over(plan.sizes[0]) * tiles_over(plan.sizes[d]);
    if (from.strides[d] == 1 && plan.sizes[d] >= 8 && blocks <= most_blocks) return d;
  }
  return 0;
}

tb_status transpose(const tb_plan& plan, int d, const scope& on) {
  const tb_operand &to = plan.operand[0], &from = plan.operand[1];
  tb_plan batch = plan;
  batch.ndim = 0;
  for (int k = 1; k < plan.ndim; ++k) {
    if (k == d) continue;
    batch.sizes[batch.ndim] = plan.sizes[k];
    for (int o = 0; o < 2; ++o) batch.operand[o].strides[batch.ndim] = plan.operand[o].strides[k];
    ++batch.ndim;
  }
  const int64_t across = tiles_over(plan.sizes[0]), tiles = across * tiles_over(plan.sizes[d]);
  const transposed_call call{to.data,
                             from.data,
                             plan.sizes[0],
                             plan.sizes[d],
                             to.strides[d],
                             from.strides[0],
                             divider(uint32_t(tiles)),
                             divider(uint32_t(across)),
                             to.dtype,
                             from.dtype,
                             offsets<2>(batch)};
  const unsigned grid = static_cast<unsigned>(tiles * call.matrix_offsets.count);
  const dim3 block(tile, tile_rows);
  if (to.dtype == from.dtype) {
    switch (bytes_of[to.dtype]) {
      case 1: return launch(on, what, transpose_units<uint8_t>, grid, block, 0, call);
      case 2: return launch(on, what, transpose_units<uint16_t>, grid, block, 0, call);
      case 4: return launch(on, what, transpose_units<uint32_t>, grid, block, 0, call);
      default: return launch(on, what, transpose_units<uint64_t>, grid, block, 0, call);
    }
  }
  return with_compute(from.dtype, [&](auto c) {
    return launch(on, what, transpose_any<typename decltype(c)::type>, grid, block, 0, call);
  });
}

}  // namespace

tb_status copy(const tb_plan* plan, const tb_call* where) {
  const tb_operand &to = plan->operand[0], &from = plan->operand[1];
  if (uint32_t(to.dtype) >= TB_DTYPE_COUNT || uint32_t(from.dtype) >= TB_DTYPE_COUNT) return TB_UNSUPPORTED_DTYPE;
  int64_t count = 1;
  for (int d = 0; d < plan->ndim; ++d) count *= plan->sizes[d];
  if (count == 0) return TB_OK;
  const scope on(to.data, where);
  if (on.status() != TB_OK) return on.status();
  const bool dense = plan->ndim == 1 && ((to.strides[0] == 1 && from.strides[0] == 1) || count == 1);
  if (dense && to.dtype == from.dtype) {
    if (to.data == from.data) return TB_OK;
    return check(cudaMemcpyAsync(to.data, from.data, uint64_t(count * bytes_of[to.dtype]), cudaMemcpyDeviceToDevice,
                                 on.stream()),
                 what);
  }
  if (dense) {
    if (const convert_kernel kernel = dense_conversion(to.dtype, from.dtype, to.data, from.data); kernel != nullptr) {
      return launch(on, what, kernel, conversion_blocks(to.dtype, from.dtype, count), block_threads, 0,
                    dense_call{to.data, from.data, count});
    }
  }
  if (const int d = across(*plan, count); d != 0) return transpose(*plan, d, on);
  if (to.dtype == from.dtype) return copy_same(*plan, on);
  return with_compute(from.dtype, [&](auto c) {
    return launch_over(on, what, count, convert_any<typename decltype(c)::type>,
                       any_call{to.data, from.data, to.dtype, from.dtype, offsets<2>(*plan)});
  });
}

}  // namespace tb_cuda
