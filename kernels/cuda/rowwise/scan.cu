// Cumulative operations along rows: one thread, one warp or one block per row.
#include "rowwise/scan.cuh"

namespace tb_cuda {
namespace {

constexpr int warp_size = 32, warps = block_threads / warp_size;
constexpr unsigned all_lanes = 0xffffffff;

template <typename State>
__device__ State shuffle_up(State x, unsigned delta) {
  return __shfl_up_sync(all_lanes, x, delta);
}
template <typename Number>
__device__ extreme<Number> shuffle_up(extreme<Number> x, unsigned delta) {
  return {__shfl_up_sync(all_lanes, x.value, delta), __shfl_up_sync(all_lanes, x.index, delta)};
}
template <typename State>
__device__ State from_lane(State x, int lane) {
  return __shfl_sync(all_lanes, x, lane);
}
template <typename Number>
__device__ extreme<Number> from_lane(extreme<Number> x, int lane) {
  return {__shfl_sync(all_lanes, x.value, lane), __shfl_sync(all_lanes, x.index, lane)};
}

// Inclusive scan over the lanes of a warp.
template <typename Op>
__device__ typename Op::state scan_of_warp(typename Op::state x, int lane) {
#pragma unroll
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const typename Op::state before = shuffle_up(x, unsigned(delta));
    if (lane >= delta) x = Op::both(before, x);
  }
  return x;
}

// Loads elements first, first + every, ... below `end` of a row; all loads are issued before the first use.
template <typename E, int Count, typename Number>
__device__ void load_typed(const void* row, int64_t step, int64_t first, int64_t every, int64_t end,
                           Number (&to)[Count]) {
#pragma unroll
  for (int j = 0; j < Count; ++j) {
    const int64_t i = first + j * every;
    if (i < end) to[j] = to_compute<Number>(static_cast<const E*>(row)[i * step]);
  }
}
template <int Count, typename Number>
__device__ void load_some(const scan_rows_of& rows, int64_t row, int64_t first, int64_t every, Number (&to)[Count]) {
  const int64_t end = rows.length, step = rows.in_step;
  const auto at = [&](int bytes) { return static_cast<const char*>(rows.in) + row * bytes; };
  if constexpr (std::is_same_v<Number, double>) {
    switch (rows.in_dtype) {
      case TB_F16: return load_typed<half>(at(2), step, first, every, end, to);
      case TB_BF16: return load_typed<bfloat16>(at(2), step, first, every, end, to);
      case TB_F32: return load_typed<float>(at(4), step, first, every, end, to);
      case TB_F64:
        if (rows.compute == TB_F64) return load_typed<double>(at(8), step, first, every, end, to);
        break;
      default: break;
    }
  } else {
    switch (rows.in_dtype) {
      case TB_BOOL: return load_typed<boolean>(at(1), step, first, every, end, to);
      case TB_U8:
        if (rows.compute == TB_I64) return load_typed<uint8_t>(at(1), step, first, every, end, to);
        break;
      case TB_I32:
        if (rows.compute == TB_I64) return load_typed<int32_t>(at(4), step, first, every, end, to);
        break;
      case TB_I64:
        if (rows.compute == TB_I64) return load_typed<int64_t>(at(8), step, first, every, end, to);
        break;
      default: break;
    }
  }
#pragma unroll 1
  for (int j = 0; j < Count; ++j) {
    const int64_t i = first + j * every;
    const Number x = i < end ? load_number<Number>(rows.in, rows.in_dtype, rows.compute, row + i * step) : Number(0);
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      if (k == j) to[k] = x;
    }
  }
}

template <typename Op>
__device__ void store(const scan_rows_of& rows, const int64_t (&row)[3], int64_t i, typename Op::state x) {
  const typename Op::number value = number_of<typename Op::number>(x);
  store_number(rows.out, rows.out_dtype, rows.compute, row[0] + i * rows.out_step, value);
  if (rows.index != nullptr) store_as(rows.index, rows.index_dtype, row[2] + i * rows.index_step, index_of(x));
}

// One thread per row: for interleaved rows and short ones.
template <typename Op>
__global__ void scan_by_threads(scan_rows_of rows) {
  constexpr int ahead = 4;
  for (int64_t r = first_index(); r < rows.batch.count; r += index_step()) {
    int64_t row[3];
    rows.batch.at(r, row);
    typename Op::state now = Op::none();
    for (int64_t first = 0; first < rows.length; first += ahead) {
      typename Op::number x[ahead];
      load_some(rows, row[1], first, 1, x);
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        if (first + j >= rows.length) break;
        now = Op::both(now, Op::of(x[j], first + j));
        store<Op>(rows, row, first + j, now);
      }
    }
  }
}

template <typename Op>
__global__ void scan_by_warps(scan_rows_of rows) {
  constexpr int ahead = 4;
  const int lane = int(threadIdx.x % warp_size);
  const int64_t step = int64_t(gridDim.x) * warps;
  for (int64_t r = int64_t(blockIdx.x) * warps + threadIdx.x / warp_size; r < rows.batch.count; r += step) {
    int64_t row[3];
    rows.batch.at(r, row);
    typename Op::state carry = Op::none();
    for (int64_t first = 0; first < rows.length; first += ahead * warp_size) {
      typename Op::number x[ahead];
      load_some(rows, row[1], first + lane, warp_size, x);
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        const int64_t i = first + j * warp_size + lane;
        typename Op::state mine = i < rows.length ? Op::of(x[j], i) : Op::none();
        mine = Op::both(carry, scan_of_warp<Op>(mine, lane));
        if (i < rows.length) store<Op>(rows, row, i, mine);
        carry = from_lane(mine, warp_size - 1);
      }
    }
  }
}

// One block per row. Tiles are staged in shared memory, so that a thread scans consecutive elements while global
// accesses are coalesced. One element of padding after each thread's elements avoids bank conflicts.
template <typename Op>
__global__ void scan_by_blocks(scan_rows_of rows) {
  using state = typename Op::state;
  constexpr int each = sizeof(state) > 8 ? 4 : 8, tile = each * block_threads;
  __shared__ state staged[tile + block_threads];
  __shared__ state of_warps[warps];
  const int thread = int(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  const auto padded = [](int i) { return i + i / each; };
  for (int64_t r = blockIdx.x; r < rows.batch.count; r += gridDim.x) {
    int64_t row[3];
    rows.batch.at(r, row);
    state carry = Op::none();
    for (int64_t first = 0; first < rows.length; first += tile) {
      typename Op::number x[each];
      load_some(rows, row[1], first + thread, block_threads, x);
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const int at = j * block_threads + thread;
        staged[padded(at)] = first + at < rows.length ? Op::of(x[j], first + at) : Op::none();
      }
      __syncthreads();
      state mine[each];
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const state one = staged[padded(thread * each + j)];
        mine[j] = j == 0 ? one : Op::both(mine[j > 0 ? j - 1 : 0], one);
      }
      const state up_to_here = scan_of_warp<Op>(mine[each - 1], lane);
      if (lane == warp_size - 1) of_warps[warp] = up_to_here;
      __syncthreads();
      state before = carry;
      for (int w = 0; w < warps; ++w) {
        const state one = of_warps[w];
        if (w < warp) before = Op::both(before, one);
        carry = Op::both(carry, one);
      }
      const state left = shuffle_up(up_to_here, 1);
      if (lane > 0) before = Op::both(before, left);
#pragma unroll
      for (int j = 0; j < each; ++j) staged[padded(thread * each + j)] = Op::both(before, mine[j]);
      __syncthreads();
#pragma unroll
      for (int j = 0; j < each; ++j) {
        const int at = j * block_threads + thread;
        if (first + at < rows.length) store<Op>(rows, row, first + at, staged[padded(at)]);
      }
    }
  }
}

template <typename Op>
tb_status scan(const tb_rowwise& call, const scope& on) {
  const scan_rows_of rows(call);
  const int64_t count = rows.batch.count;
  // Interleaved rows: neighbouring threads read neighbouring addresses.
  const bool side_by_side = rows.in_step != 1 && call.ndim > 0 && rows.batch.strides[1][0] == 1;
  if (rows.length <= 16 || (side_by_side && count >= 4096)) {
    return launch_over(on, "a scan", count, scan_by_threads<Op>, rows);
  }
  if (rows.length <= 512)
    return launch(on, "a scan", scan_by_warps<Op>, grid_for(count, warps), block_threads, 0, rows);
  return launch(on, "a scan", scan_by_blocks<Op>, grid_for(count, 1), block_threads, 0, rows);
}

// One block scans a row at some 50 GB/s; a Thrust call costs about as much as 32768 elements of that.
bool takes_the_device(const tb_rowwise& call) {
  int64_t rows = 1;
  for (int d = 0; d < call.ndim; ++d) rows *= call.sizes[d];
  const int64_t length = call.row[0].length;
  // Thrust's floating-point sums depend on the order in which blocks finish.
  const bool any_order = call.op == TB_CUMMAX || call.op == TB_CUMMIN || call.compute == TB_I64;
  return length > 65536 && rows <= length / 32768 && (any_order || !deterministic());
}

}  // namespace

tb_status scan_rows(const tb_rowwise& call, const scope& on) {
  const bool none = call.row[0].length == 0;
  return with_scan(call, [&](auto op) {
    if (none) return TB_OK;
    return takes_the_device(call) ? scan_long_rows(call, on) : scan<decltype(op)>(call, on);
  });
}

}  // namespace tb_cuda
