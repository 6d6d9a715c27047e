// Sorting rows and selecting by rank: short rows in shared memory, several per block; dispatch of longer ones.
#include "rowwise/sort.cuh"

#include "rowwise/sort_network.cuh"

namespace tb_cuda {
namespace {

int32_t bits_of_keys(const tb_rowwise& call) {
  const int32_t dtype = call.row[2].dtype;
  switch (call.compute) {
    case TB_BOOL: return 1;
    case TB_F64: return 64;
    case TB_F32: return dtype == TB_F16 || dtype == TB_BF16 ? 16 : 32;
    default: break;
  }
  switch (dtype) {
    case TB_BOOL:
    case TB_I8: return 8;
    case TB_U8: return 9;
    case TB_I16: return 16;
    case TB_I32: return 32;
    default: return 64;
  }
}

template <typename Item>
struct shared_row {
  const Item* items;
  __device__ uint64_t key(int64_t i) const { return items[i].key(); }
  __device__ int64_t index(int64_t i) const { return items[i].index(); }
};

// Sorts rows of `width` items, a power of two; `of_block` rows per block, at most one per thread. Items past the end
// of a row are padding.
template <typename Item>
__global__ void sort_in_blocks(sorted_rows_of rows, int width, int of_block) {
  constexpr int most_each = int(longest_short_row) / block_threads;
  Item* const items = dynamic_shared<Item>();
  __shared__ unsigned long long most[block_threads];
  const int count = width * of_block, shift = __ffs(width) - 1, thread = int(threadIdx.x);
  for (int64_t first = int64_t(blockIdx.x) * of_block; first < rows.batch.count;
       first += int64_t(gridDim.x) * of_block) {
    __syncthreads();
    for (int t = thread; t < count; t += block_threads) {
      const int64_t r = first + (t >> shift);
      const int i = t & (width - 1);
      Item item = Item::last();
      if (r < rows.batch.count && i < rows.length) {
        int64_t row[3];
        rows.batch.at(r, row);
        item = Item::of(key_at<typename Item::key_type>(rows, row[1] + i * rows.in_step), uint32_t(i));
      }
      items[t] = item;
    }
    sort_in_shared(items, count, width);
    if (rows.op == TB_SORT || rows.op == TB_TOPK) {
      // The result may alias the row, so all elements are read before any is written.
      uint64_t element[most_each];
#pragma unroll
      for (int j = 0; j < most_each; ++j) {
        const int t = j * block_threads + thread;
        const int64_t r = first + (t >> shift);
        if (t >= count || r >= rows.batch.count || (t & (width - 1)) >= rows.results) continue;
        int64_t row[3];
        rows.batch.at(r, row);
        element[j] = load_element(rows, row[1] + int64_t(items[t].index()) * rows.in_step);
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < most_each; ++j) {
        const int t = j * block_threads + thread;
        const int64_t r = first + (t >> shift);
        if (t >= count || r >= rows.batch.count || (t & (width - 1)) >= rows.results) continue;
        int64_t row[3];
        rows.batch.at(r, row);
        write_result(rows, row, t & (width - 1), items[t].index(), element[j]);
      }
      continue;
    }
    if (rows.op == TB_MODE) {
      most[thread] = 0;
      __syncthreads();
      for (int t = thread; t < count; t += block_threads) {
        const int i = t & (width - 1);
        if (first + (t >> shift) >= rows.batch.count || i >= rows.length) continue;
        const int64_t times = occurrences(rows, shared_row<Item>{items + t - i}, i);
        // Of equally frequent values the smallest wins.
        if (times > 0) atomicMax(&most[t >> shift], static_cast<unsigned long long>(times) << 32 | ~uint32_t(i));
      }
      __syncthreads();
    }
    if (thread < of_block && first + thread < rows.batch.count) {
      const shared_row<Item> sorted{items + thread * width};
      const int64_t rank = rows.op == TB_MODE ? int64_t(~uint32_t(most[thread])) : rank_of(rows, sorted);
      int64_t row[3];
      rows.batch.at(first + thread, row);
      write_result(rows, row, 0, sorted.index(rank));
    }
  }
}

template <typename Item>
tb_status sort_as(const sorted_rows_of& rows, const scope& on) {
  const int width = power_of_two(rows.length);
  int of_block = int(longest_short_row) / width;
  if (of_block > block_threads) of_block = block_threads;
  const int64_t wanted = 4 * multiprocessors(on);
  while (of_block > 1 && of_block * width > 2 * block_threads && rows.batch.count / of_block < wanted) of_block /= 2;
  return launch(on, "a sort of short rows", sort_in_blocks<Item>, grid_for(rows.batch.count, of_block), block_threads,
                size_t(width) * size_t(of_block) * sizeof(Item), rows, width, of_block);
}

}  // namespace

sorted_rows_of::sorted_rows_of(const tb_rowwise& call) {
  const tb_row_operand &to = call.row[0], &where = call.row[1], &from = call.row[2];
  in = from.data;
  out = to.data;
  index = where.data;
  in_dtype = from.dtype;
  out_dtype = to.dtype;
  index_dtype = where.dtype;
  compute = call.compute;
  in_step = from.step;
  out_step = to.step;
  index_step = where.step;
  length = from.length;
  results = call.op == TB_SORT || call.op == TB_TOPK ? to.length : 1;
  op = call.op;
  bits = bits_of_keys(call);
  const bool flag = call.number[0].i != 0;
  rank = call.op == TB_KTH_VALUE ? call.number[0].i : 0;
  descending = flag && (call.op == TB_SORT || call.op == TB_TOPK);
  skips_nan = flag && call.op == TB_MEDIAN;
  real = call.compute == TB_F32 || call.compute == TB_F64;
  batch = offsets<3>(call.ndim, call.sizes, [&](int o) { return (o == 0 ? to : o == 1 ? from : where).strides; });
}

tb_status sort_short_rows(const sorted_rows_of& rows, const scope& on) {
  return rows.bits <= 32 ? sort_as<narrow_item>(rows, on) : sort_as<wide_item>(rows, on);
}

tb_status sort_rows(const tb_rowwise& call, const scope& on) {
  const bool known =
      call.compute == TB_BOOL || call.compute == TB_I64 || call.compute == TB_F32 || call.compute == TB_F64;
  if (!known) return TB_UNSUPPORTED_DTYPE;
  const sorted_rows_of rows(call);
  if (rows.length == 0 || rows.results == 0) return TB_OK;
  if (rows.length <= longest_short_row) return sort_short_rows(rows, on);
  const bool some = rows.op == TB_TOPK || rows.op == TB_KTH_VALUE || rows.op == TB_MEDIAN;
  // A block reads its row several times, at some 100 GB/s; with few rows most of the device would be idle.
  if (some && rows.results <= longest_short_row && rows.length <= rows.batch.count * 65536)
    return select_rows(rows, on);
  return sort_long_rows(rows, on);
}

}  // namespace tb_cuda
