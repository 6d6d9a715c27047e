// topk, kth value and median without sorting the row: radix select. Each block counts the highest digit of the keys
// of a row, keeps those with the digit that the rank falls on, and continues with the next digit.
#include "rowwise/sort.cuh"

#include "rowwise/sort_network.cuh"

namespace tb_cuda {
namespace {

constexpr int select_threads = 512, digits = 256, digit_bits = 8, warp_size = 32;

// State shared by the threads of a block.
struct progress {
  uint32_t count[digits];
  uint32_t of_warps[select_threads / warp_size];
  uint64_t key;  // key of the rank; the digits found so far
  int64_t rank;  // rank among the elements that begin with `key`
  uint32_t nans;
  unsigned long long first_nan;
  uint32_t taken;
};

// Finds the digit that the rank falls on. Executed by the first warp.
__device__ void choose_digit(progress& p, int shift) {
  constexpr int each = digits / warp_size;
  if (threadIdx.x >= warp_size) return;
  const int lane = int(threadIdx.x);
  int64_t mine = 0;
  for (int k = 0; k < each; ++k) mine += p.count[lane * each + k];
  int64_t up_to_here = mine;
  for (int delta = 1; delta < warp_size; delta *= 2) {
    const int64_t before = __shfl_up_sync(0xffffffff, up_to_here, unsigned(delta));
    if (lane >= delta) up_to_here += before;
  }
  const int64_t rank = p.rank;
  __syncwarp();
  int64_t before = up_to_here - mine;
  if (rank < before || rank >= up_to_here) return;
  int digit = lane * each;
  while (rank >= before + int64_t(p.count[digit])) before += p.count[digit++];
  p.key |= uint64_t(digit) << shift;
  p.rank = rank - before;
}

// Finds the key of the element of rank p.rank and stores it in p.key; p.rank becomes the rank among equal keys.
template <typename Key>
__device__ void find_key(const sorted_rows_of& rows, int64_t at, progress& p) {
  constexpr int ahead = 4;
  const int top = (rows.bits + digit_bits - 1) / digit_bits * digit_bits;
  for (int shift = top - digit_bits; shift >= 0; shift -= digit_bits) {
    __syncthreads();
    if (threadIdx.x < digits) p.count[threadIdx.x] = 0;
    __syncthreads();
    const uint64_t known = p.key;
    for (int64_t first = threadIdx.x; first < rows.length; first += ahead * select_threads) {
      Key key[ahead];
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        const int64_t i = first + j * select_threads;
        if (i < rows.length) key[j] = key_at<Key>(rows, at + i * rows.in_step);
      }
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        if (first + j * select_threads >= rows.length) break;
        // At the top digit all keys match; for 64-bit keys the shift would be undefined.
        const uint64_t differs = uint64_t(key[j]) ^ known;
        if (shift + digit_bits < 64 && differs >> (shift + digit_bits) != 0) continue;
        atomicAdd(&p.count[uint64_t(key[j]) >> shift & (digits - 1)], 1u);
      }
    }
    __syncthreads();
    choose_digit(p, shift);
  }
  __syncthreads();
}

// Counts the NaNs of a row and finds the first.
template <typename Key>
__device__ void find_nans(const sorted_rows_of& rows, int64_t at, progress& p) {
  for (int64_t i = threadIdx.x; i < rows.length; i += select_threads) {
    if (!rows.is_nan(key_at<Key>(rows, at + i * rows.in_step))) continue;
    atomicAdd(&p.nans, 1u);
    atomicMin(&p.first_nan, static_cast<unsigned long long>(i));
  }
  __syncthreads();
}

// The number of threads before this one with `yes`; `all` is the count over the block.
__device__ int64_t count_before(bool yes, progress& p, int64_t& all) {
  const int lane = int(threadIdx.x) % warp_size, warp = int(threadIdx.x) / warp_size;
  const unsigned votes = __ballot_sync(0xffffffff, yes);
  if (lane == 0) p.of_warps[warp] = uint32_t(__popc(votes));
  __syncthreads();
  int64_t before = __popc(votes & ((1u << lane) - 1));
  all = 0;
  for (int w = 0; w < select_threads / warp_size; ++w) {
    if (w < warp) before += p.of_warps[w];
    all += p.of_warps[w];
  }
  __syncthreads();
  return before;
}

// `width`: 0 if one element is selected, else a power of two not below the number of results.
template <typename Item>
__global__ void __launch_bounds__(select_threads) select_by_blocks(sorted_rows_of rows, int width) {
  using key_type = typename Item::key_type;
  Item* const items = dynamic_shared<Item>();
  __shared__ progress p;
  const int thread = int(threadIdx.x);
  for (int64_t r = blockIdx.x; r < rows.batch.count; r += gridDim.x) {
    int64_t row[3];
    rows.batch.at(r, row);
    __syncthreads();
    if (thread == 0) {
      p.key = 0;
      p.rank = rows.op == TB_TOPK ? rows.results - 1 : rows.rank;
      p.nans = 0;
      p.first_nan = ~0ull;
      p.taken = 0;
    }
    for (int t = thread; t < width; t += select_threads) items[t] = Item::last();
    __syncthreads();
    if (rows.op == TB_MEDIAN) {
      if (rows.real) find_nans<key_type>(rows, row[1], p);
      if (p.nans > 0 && !rows.skips_nan) {
        if (thread == 0) write_result(rows, row, 0, int64_t(p.first_nan));
        continue;
      }
      const int64_t count = rows.length - p.nans;
      __syncthreads();
      if (thread == 0) p.rank = count == 0 ? 0 : (count - 1) / 2;
    }
    find_key<key_type>(rows, row[1], p);
    const uint64_t wanted = p.key;
    const int64_t rank = p.rank;
    int64_t equals = 0;
    for (int64_t first = 0; first < rows.length && (width > 0 || equals <= rank); first += select_threads) {
      const int64_t i = first + thread;
      const bool there = i < rows.length;
      const uint64_t key = there ? key_at<key_type>(rows, row[1] + i * rows.in_step) : 0;
      if (width > 0 && there && key < wanted) {
        items[atomicAdd(&p.taken, 1u)] = Item::of(key_type(key), uint32_t(i));
      }
      const bool equal = there && key == wanted;
      if (equals > rank || !__syncthreads_or(equal)) continue;
      int64_t all = 0;
      const int64_t before = equals + count_before(equal, p, all);
      equals += all;
      if (!equal || before > rank) continue;
      if (width > 0)
        items[atomicAdd(&p.taken, 1u)] = Item::of(key_type(key), uint32_t(i));
      else if (before == rank)
        write_result(rows, row, 0, i);
    }
    if (width == 0) continue;
    __syncthreads();
    sort_in_shared(items, width, width);
    for (int64_t i = thread; i < rows.results; i += select_threads) {
      write_result(rows, row, i, items[i].index());
    }
  }
}

template <typename Item>
tb_status select_as(const sorted_rows_of& rows, const scope& on) {
  const int width = rows.op == TB_TOPK ? power_of_two(rows.results) : 0;
  return launch(on, "a choice from rows", select_by_blocks<Item>, grid_for(rows.batch.count, 1), select_threads,
                size_t(width) * sizeof(Item), rows, width);
}

}  // namespace

tb_status select_rows(const sorted_rows_of& rows, const scope& on) {
  return rows.bits <= 32 ? select_as<narrow_item>(rows, on) : select_as<wide_item>(rows, on);
}

}  // namespace tb_cuda
