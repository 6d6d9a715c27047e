// Coordinates of nonzero elements: blocks count, Thrust scans the counts, blocks write. The number of nonzero
// elements is returned to the host, so the call synchronizes.
#include "runtime/thrust.cuh"

#include <thrust/scan.h>

#include "elementwise/elements.cuh"
#include "elementwise/offsets.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

constexpr int warp_size = 32, warps = block_threads / warp_size;
constexpr int each = 16, tile = each * block_threads;  // elements per thread; elements per block and iteration
constexpr unsigned all_lanes = 0xffffffff;

struct elements_of {
  const void* data;
  int32_t dtype;
  int32_t coordinates;
  bool dense;
  int64_t tiles;
  offsets<1> at;

  __device__ bool is_set(int64_t position) const {
    if (position >= at.count) return false;
    int64_t offset[1] = {position};
    if (!dense) at.at(position, offset);
    return load_as<bool_t>(data, dtype, offset[0]) != 0;
  }
  __device__ void write(int64_t position, int64_t* to) const {
    for (int d = 0; d < coordinates; ++d) {
      const int64_t size = at.sizes[d];
      const int64_t next = at.narrow ? int64_t(at.by[d].quotient(uint32_t(position))) : position / size;
      to[coordinates - 1 - d] = position - next * size;
      position = next;
    }
  }
};

__global__ void count_set(elements_of in, int64_t* counts) {
  __shared__ int of_warps[warps];
  const int thread = int(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  for (int64_t t = blockIdx.x; t < in.tiles; t += gridDim.x) {
    int mine = 0;
#pragma unroll
    for (int j = 0; j < each; ++j) {
      mine += __popc(__ballot_sync(all_lanes, in.is_set(t * tile + j * block_threads + thread)));
    }
    if (lane == 0) of_warps[warp] = mine;
    __syncthreads();
    if (thread == 0) {
      int all = 0;
      for (int w = 0; w < warps; ++w) all += of_warps[w];
      counts[t] = all;
    }
    __syncthreads();
  }
}

// ends[t]: the number of nonzero elements up to and including tile t.
__global__ void write_set(elements_of in, const int64_t* ends, int64_t* out) {
  constexpr int groups = each * warps, of_lane = groups / warp_size;
  __shared__ int before[groups];  // exclusive prefix sums over the tile's groups of 32 elements
  const int thread = int(threadIdx.x), lane = thread % warp_size, warp = thread / warp_size;
  for (int64_t t = blockIdx.x; t < in.tiles; t += gridDim.x) {
    unsigned votes[each];
#pragma unroll
    for (int j = 0; j < each; ++j) {
      votes[j] = __ballot_sync(all_lanes, in.is_set(t * tile + j * block_threads + thread));
      if (lane == 0) before[j * warps + warp] = __popc(votes[j]);
    }
    __syncthreads();
    if (warp == 0) {
      int mine = 0;
      for (int k = 0; k < of_lane; ++k) mine += before[lane * of_lane + k];
      int up_to_here = mine;
      for (int delta = 1; delta < warp_size; delta *= 2) {
        const int other = __shfl_up_sync(all_lanes, up_to_here, unsigned(delta));
        if (lane >= delta) up_to_here += other;
      }
      int sum = up_to_here - mine;
      for (int k = 0; k < of_lane; ++k) {
        const int own = before[lane * of_lane + k];
        before[lane * of_lane + k] = sum;
        sum += own;
      }
    }
    __syncthreads();
    const int64_t first = t == 0 ? 0 : ends[t - 1];
#pragma unroll
    for (int j = 0; j < each; ++j) {
      if ((votes[j] >> lane & 1) == 0) continue;
      const int64_t i = first + before[j * warps + warp] + __popc(votes[j] & ((1u << lane) - 1));
      in.write(t * tile + j * block_threads + thread, out + i * in.coordinates);
    }
    __syncthreads();
  }
}

bool is_dense(const tb_plan& plan) {
  int64_t stride = 1;
  for (int d = 0; d < plan.ndim; ++d) {
    if (plan.sizes[d] != 1 && plan.operand[0].strides[d] != stride) return false;
    stride *= plan.sizes[d];
  }
  return true;
}

tb_status refuse_capture(const scope& on) {
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
  const tb_status status = check(cudaStreamIsCapturing(on.stream(), &now), "cudaStreamIsCapturing");
  if (status != TB_OK || now == cudaStreamCaptureStatusNone) return status;
  return refuse(
      "nonzero: found a stream that is being captured, wanted one that runs: the output size depends on the elements; "
      "move the call out of the graph");
}

}  // namespace

tb_status nonzero(tb_nonzero* call, const tb_call* where) {
  call->count = 0;
  const tb_operand& operand = call->plan.operand[0];
  elements_of in{operand.data, operand.dtype, call->coordinates, is_dense(call->plan), 0, offsets<1>(call->plan)};
  if (in.at.count == 0) return TB_OK;
  in.tiles = (in.at.count + tile - 1) / tile;
  const scope on(in.data, where);
  if (on.status() != TB_OK) return on.status();
  tb_status status = refuse_capture(on);
  if (status != TB_OK) return status;
  const temporary counts(on, uint64_t(in.tiles) * sizeof(int64_t));
  int64_t* const ends = counts.as<int64_t>();
  const int64_t tiles = in.tiles;
  status = counts.status();
  if (status == TB_OK) {
    status = launch(on, "a count of nonzero elements", count_set, grid_for(tiles, 1), block_threads, 0, in, ends);
  }
  if (status == TB_OK) {
    status = run_thrust(on, "a sum of counts",
                        [=](const auto& policy) { thrust::inclusive_scan(policy, ends, ends + tiles, ends); });
  }
  if (status == TB_OK && call->out != nullptr && call->coordinates > 0) {
    status = launch(on, "coordinates of nonzero elements", write_set, grid_for(tiles, 1), block_threads, 0, in,
                    static_cast<const int64_t*>(ends), call->out);
  }
  if (status != TB_OK) return status;
  status = check(cudaMemcpyAsync(&call->count, ends + tiles - 1, sizeof(int64_t), cudaMemcpyDeviceToHost, on.stream()),
                 "the number of nonzero elements");
  return status == TB_OK ? check(cudaStreamSynchronize(on.stream()), "cudaStreamSynchronize") : status;
}

}  // namespace tb_cuda
