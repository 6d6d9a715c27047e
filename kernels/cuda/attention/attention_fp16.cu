// Attention in half precision on tensor cores, in one pass over the keys. See attention.cu for the online softmax,
// and Dao: "FlashAttention-2", 2023, for the division of work in a block. Each warp has bands of 16 queries whose
// scores, weights and sums stay in its registers: the accumulator fragment of the first product has the register
// layout of the left operand of the second.
//
// Tiles of keys and values are double-buffered in shared memory: the next tile is copied asynchronously while the
// current one is multiplied. Rows consist of chunks of 16 bytes, swizzled by row, so that the eight rows of a
// fragment are in different banks.
#include <atomic>

#include "attention/attention.cuh"
#include "matmul/tensor_core.cuh"
#include "runtime/device.cuh"

namespace tb_cuda {
namespace {

using namespace attending;

constexpr int key_tile = 64, band = 16;
constexpr float log2_of_e = 1.44269504088896f;
constexpr float greatest_fused = 1 << 24;  // its ulp is 2

// Operands whose rows can be copied in aligned chunks of 16 bytes.
struct packing {
  bool query, key, value, out;
};

struct alignas(16) chunk_of_fp16 {
  uint32_t two[4];
};
constexpr int chunk_fp16 = 8;

// The offset in bytes of a chunk in a swizzled tile.
template <int Width>
__device__ unsigned chunk_offset(int row, int chunk) {
  constexpr int chunks = Width / chunk_fp16;
  const int swizzle = chunks >= 8 ? row & 7 : row >> 1 & 3;
  return unsigned(row * chunks + (chunk ^ swizzle)) * unsigned(sizeof(chunk_of_fp16));
}

// Loads a tile [Rows][Width] of a matrix [rows][width]; out-of-range elements are 0.
template <int Rows, int Width, int Threads, typename E>
__device__ void read_tile(unsigned char* to, const E* from, strides step, int64_t rows, int64_t width, bool packed) {
  constexpr int chunks = Width / chunk_fp16;
  if (packed) {
    const int chunk = int(threadIdx.x) % chunks, first = int(threadIdx.x) / chunks;
    const bool there = chunk * chunk_fp16 < width;
    const E* at = from + first * step.row + chunk * chunk_fp16;
#pragma unroll
    for (int row = 0; row < Rows; row += Threads / chunks) {
      const bool copied = there && first + row < rows;
      copy_ahead(address_of(to) + chunk_offset<Width>(first + row, chunk), copied ? at : from,
                 copied ? int(sizeof(chunk_of_fp16)) : 0);
      at += Threads / chunks * step.row;
    }
    return;
  }
  // Neighbouring threads read along the contiguous dimension.
  const bool along_rows = step.col == 1;
#pragma unroll 1
  for (int n = int(threadIdx.x); n < Rows * chunks; n += Threads) {
    const int row = along_rows ? n / chunks : n % Rows, chunk = along_rows ? n % chunks : n / Rows;
    const E* at = from + row * step.row + chunk * chunk_fp16 * step.col;
    const int64_t there = row < rows ? width - chunk * chunk_fp16 : 0;
    chunk_of_fp16 c{};
#pragma unroll
    for (int i = 0; i < chunk_fp16; ++i) {
      if (i < there) c.two[i / 2] |= uint32_t(at->bits) << i % 2 * 16;
      at += step.col;
    }
    *reinterpret_cast<chunk_of_fp16*>(to + chunk_offset<Width>(row, chunk)) = c;
  }
}

template <int Rows, int Width, int Threads, typename E>
__device__ void write_tile(E* to, const unsigned char* from, strides step, int64_t rows, int64_t width, bool packed) {
  constexpr int chunks = Width / chunk_fp16;
  const bool along_rows = step.col == 1;
#pragma unroll 1
  for (int n = int(threadIdx.x); n < Rows * chunks; n += Threads) {
    const int row = along_rows ? n / chunks : n % Rows, chunk = along_rows ? n % chunks : n / Rows;
    const int64_t there = row < rows ? width - chunk * chunk_fp16 : 0;
    const chunk_of_fp16 c = *reinterpret_cast<const chunk_of_fp16*>(from + chunk_offset<Width>(row, chunk));
    E* at = to + row * step.row + chunk * chunk_fp16 * step.col;
    if (packed) {
      if (there > 0) *reinterpret_cast<chunk_of_fp16*>(at) = c;
      continue;
    }
#pragma unroll
    for (int i = 0; i < chunk_fp16; ++i) {
      if (i < there) *at = {uint16_t(c.two[i / 2] >> i % 2 * 16)};
      at += step.col;
    }
  }
}

// Reductions over the four lanes that share a query.
__device__ inline float greatest_of(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffff, x, 2));
}
__device__ inline float sum_of(float x) {
  x += __shfl_xor_sync(0xffffffff, x, 1);
  return x + __shfl_xor_sync(0xffffffff, x, 2);
}

// A lane's registers for a band of queries. It has two queries: group and group + 8.
template <int Width>
struct band_of_queries {
  uint32_t query[Width / 16][4];
  float sum[Width / 8][4];
  float top[2], total[2];
};
using scores = float[key_tile / 8][4];

template <typename E, int Width, int Bands>
__device__ void multiply_keys(scores (&score)[Bands], const band_of_queries<Width> (&mine)[Bands], shared_address keys,
                              int lane) {
  // ldmatrix order: keys 0-7 and keys 8-15 of a group of 16, two chunks each.
  const int row = (lane & 7) | (lane & 16) >> 1, chunk = lane >> 3 & 1;
#pragma unroll
  for (int d = 0; d < Width / 16; ++d) {
#pragma unroll
    for (int k = 0; k < key_tile / 16; ++k) {
      uint32_t b[4];
      load_matrices(b, keys + chunk_offset<Width>(k * 16 + row, d * 2 | chunk));
#pragma unroll
      for (int i = 0; i < Bands; ++i) {
        multiply_add<E>(score[i][k * 2], mine[i].query[d], {b[0], b[1]});
        multiply_add<E>(score[i][k * 2 + 1], mine[i].query[d], {b[2], b[3]});
      }
    }
  }
}

// Turns scores into weights relative to the new maximum of their query. `by` >= 0 scales the scores.
template <int Width>
__device__ void weigh(scores& score, band_of_queries<Width>& mine, float by) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float greatest = -INFINITY;
#pragma unroll
    for (int n = 0; n < key_tile / 8; ++n) greatest = fmaxf(greatest, fmaxf(score[n][h * 2], score[n][h * 2 + 1]));
    const float before = mine.top[h], now = fmaxf(before, greatest_of(greatest) * by);
    const float shift = now == -INFINITY ? 0.0f : now;
    const float less = power_of_two(before - shift);
    // The fused multiply-add does not round the product, but the shift was rounded. The error is a factor common to all
    // weights of a query and cancels, unless the weights leave the range of the 16-bit type.
    float factor = by;
    if (fabsf(now) > greatest_fused) {
#pragma unroll
      for (int n = 0; n < key_tile / 8; ++n) {
        score[n][h * 2] *= by;
        score[n][h * 2 + 1] *= by;
      }
      factor = 1;
    }
    float added = 0;
#pragma unroll
    for (int n = 0; n < key_tile / 8; ++n) {
#pragma unroll
      for (int i = h * 2; i < h * 2 + 2; ++i) {
        score[n][i] = power_of_two(fmaf(score[n][i], factor, -shift));
        added += score[n][i];
      }
    }
    mine.top[h] = now;
    mine.total[h] = mine.total[h] * less + added;
#pragma unroll
    for (int n = 0; n < Width / 8; ++n) {
      mine.sum[n][h * 2] *= less;
      mine.sum[n][h * 2 + 1] *= less;
    }
  }
}

template <typename E, int Width, int Bands>
__device__ void add_values(const scores (&weight)[Bands], band_of_queries<Width> (&mine)[Bands], shared_address values,
                           int lane) {
#pragma unroll
  for (int k = 0; k < key_tile / 16; ++k) {
    uint32_t a[Bands][4];
#pragma unroll
    for (int i = 0; i < Bands; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        a[i][j] = pack<E>(weight[i][k * 2 + j / 2][j % 2 * 2], weight[i][k * 2 + j / 2][j % 2 * 2 + 1]);
    }
#pragma unroll
    for (int c = 0; c < Width / 16; ++c) {
      // ldmatrix order: two chunks of columns, keys 0-7 and keys 8-15 each.
      uint32_t b[4];
      load_transposed(b, values + chunk_offset<Width>(k * 16 + (lane & 15), c * 2 | lane >> 4));
#pragma unroll
      for (int i = 0; i < Bands; ++i) {
        multiply_add<E>(mine[i].sum[c * 2], a[i], {b[0], b[1]});
        multiply_add<E>(mine[i].sum[c * 2 + 1], a[i], {b[2], b[3]});
      }
    }
  }
}

template <typename E, int Width, int Warps, int Bands>
__device__ void attend_tile(const attention_call<float, E>& p, packing packed) {
  constexpr int threads = Warps * 32, warp_queries = Bands * band, tile = Warps * warp_queries;
  constexpr int tile_bytes = key_tile * Width * int(sizeof(E));
  static_assert(tile * Width * int(sizeof(E)) <= 2 * tile_bytes, "the queries lie where the second tile will");
  unsigned char* const memory = dynamic_shared<unsigned char>();
  const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, group = lane / 4, pair = lane % 4 * 2;
  const unsigned tiles = unsigned(p.tiles), position = blockIdx.x / tiles, number = blockIdx.x % tiles;
  // With a causal mask, tiles with the most keys are scheduled first, so that the last blocks are short.
  const int64_t first = int64_t(p.causal ? tiles - 1 - number : number) * tile;
  const int64_t first_of_warp = first + warp * warp_queries, end = p.keys_before(first + tile);
  int64_t at[role_count];
  p.batch.at(position, at);
  const E* const key = p.key + at[is_key];
  const E* const value = p.value + at[is_value];

  read_tile<tile, Width, threads>(memory + 2 * tile_bytes, p.query + at[is_query] + first * p.of[is_query].row,
                                  p.of[is_query], p.queries - first, p.width, packed.query);
  wait_for_copies();
  __syncthreads();
  band_of_queries<Width> mine[Bands];
#pragma unroll
  for (int i = 0; i < Bands; ++i) {
#pragma unroll
    for (int d = 0; d < Width / 16; ++d) {
      const int row = warp * warp_queries + i * band + (lane & 15);
      load_matrices(mine[i].query[d],
                    address_of(memory) + 2 * tile_bytes + chunk_offset<Width>(row, d * 2 | lane >> 4));
#pragma unroll
      for (uint32_t& two : mine[i].query[d]) two ^= p.scale < 0 ? 0x80008000 : 0;
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      mine[i].top[h] = -INFINITY;
      mine[i].total[h] = 0;
    }
#pragma unroll
    for (int n = 0; n < Width / 8; ++n) {
#pragma unroll
      for (int j = 0; j < 4; ++j) mine[i].sum[n][j] = 0;
    }
  }

  const int64_t mask_offset = at[is_mask] + (first_of_warp + group) * p.of[is_mask].row + pair * p.of[is_mask].col;
  // The sign of the scale is already applied to the queries.
  const float unit = fabsf(p.scale) * log2_of_e;
  int filled = 1;
  // The first iteration only starts the copy of the first tile; buffer 1 holds the queries until then.
  for (int64_t k = -key_tile; k < end; k += key_tile) {
    // The tile has arrived, and all warps have finished reading the previous one.
    wait_for_copies();
    __syncthreads();
    const shared_address now = address_of(memory) + filled * 2 * tile_bytes;
    filled ^= 1;
    const int64_t next = k + key_tile;
    if (next < end) {
      unsigned char* const to = memory + filled * 2 * tile_bytes;
      read_tile<key_tile, Width, threads>(to, key + next * p.of[is_key].row, p.of[is_key], end - next, p.width,
                                          packed.key);
      read_tile<key_tile, Width, threads>(to + tile_bytes, value + next * p.of[is_value].row, p.of[is_value],
                                          end - next, p.value_width, packed.value);
    }
    if (k < 0 || first_of_warp >= p.queries || (p.causal && k >= first_of_warp + warp_queries)) continue;

    scores score[Bands];
#pragma unroll
    for (int i = 0; i < Bands; ++i) {
#pragma unroll
      for (int n = 0; n < key_tile / 8; ++n) {
#pragma unroll
        for (int j = 0; j < 4; ++j) score[i][n][j] = 0;
      }
    }
    multiply_keys<E, Width, Bands>(score, mine, now, lane);

    const bool all_seen = p.mask == nullptr && next <= end && (!p.causal || next <= first_of_warp + 1);
#pragma unroll
    for (int i = 0; i < Bands; ++i) {
      if (!all_seen) {
        // 32-bit indices relative to this tile's first key and this warp's first query.
        const int keys_here = int(end - k < key_tile ? end - k : key_tile);
        const int first_sees = p.causal && first_of_warp + 1 - k < key_tile ? int(first_of_warp + 1 - k) : key_tile;
        const int queries_here =
            int(p.queries - first_of_warp < warp_queries ? p.queries - first_of_warp : warp_queries);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int row = i * band + h * 8 + group;
          const int sees = first_sees + (p.causal ? row : 0);
          const int seen = row < queries_here ? sees < keys_here ? sees : keys_here : 0;
          int64_t offset = mask_offset + (i * band + h * 8) * p.of[is_mask].row + k * p.of[is_mask].col;
#pragma unroll
          for (int n = 0; n < key_tile / 8; ++n) {
#pragma unroll
            for (int j = 0; j < 2; ++j) {
              const int here = n * 8 + pair + j;
              float& s = score[i][n][h * 2 + j];
              s *= unit;
              if (here >= seen) {
                s = -INFINITY;
              } else if (p.mask != nullptr) {
                s = p.masked(s, offset + j * p.of[is_mask].col, log2_of_e);
              }
            }
            offset += 8 * p.of[is_mask].col;
          }
        }
      }
      weigh<Width>(score[i], mine[i], all_seen ? unit : 1.0f);
    }
    add_values<E, Width, Bands>(score, mine, now + tile_bytes, lane);
  }

  // Stage the results in shared memory, in place of keys and values, so that whole rows are written.
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Bands; ++i) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = warp * warp_queries + i * band + h * 8 + group;
      const float factor = p.factor_of(sum_of(mine[i].total[h]));
#pragma unroll
      for (int n = 0; n < Width / 8; ++n) {
        unsigned char* const two = memory + chunk_offset<Width>(row, n) + pair * int(sizeof(E));
        *reinterpret_cast<uint32_t*>(two) = pack<E>(mine[i].sum[n][h * 2] * factor, mine[i].sum[n][h * 2 + 1] * factor);
      }
    }
  }
  __syncthreads();
  write_tile<tile, Width, threads>(p.out + at[is_out] + first * p.of[is_out].row, memory, p.of[is_out],
                                   p.queries - first, p.value_width, packed.out);
}

template <typename E, int Width, int Warps, int Bands>
__global__ void __launch_bounds__(Warps * 32) attend_fp16(attention_call<float, E> p, packing packed) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  attend_tile<E, Width, Warps, Bands>(p, packed);
#endif
}

bool lies_in_chunks(const tb_matrices& m, const tb_attention& a, int64_t width) {
  bool whole = width > 0 && m.col == 1 && m.row % chunk_fp16 == 0 && width % chunk_fp16 == 0 &&
               reinterpret_cast<uintptr_t>(m.data) % sizeof(chunk_of_fp16) == 0;
  for (int d = 0; d < a.ndim; ++d) whole = whole && m.batch[d] % chunk_fp16 == 0;
  return whole;
}

template <typename E, int Width, int Warps, int Bands>
tb_status attend_in_tiles(const scope& on, const tb_attention& a, int64_t positions) {
  const attention_call<float, E> p(a, Warps * Bands * band);
  if (positions * p.tiles > INT32_MAX) return refuse("attention: found more tiles of queries than a grid has");
  const packing packed = {
      .query = lies_in_chunks(a.query, a, a.width),
      .key = lies_in_chunks(a.key, a, a.width),
      .value = lies_in_chunks(a.value, a, a.value_width),
      .out = lies_in_chunks(a.out, a, a.value_width),
  };
  constexpr size_t shared = 4 * key_tile * Width * sizeof(E);
  const auto kernel = &attend_fp16<E, Width, Warps, Bands>;
  if (const tb_status status = allow_shared(kernel, shared); status != TB_OK) return status;
  return launch(on, "attention", kernel, unsigned(positions * p.tiles), Warps * 32, shared, p, packed);
}

template <typename E>
tb_status attend_elements(const scope& on, const tb_attention& a, int64_t positions) {
  const int64_t width = a.width > a.value_width ? a.width : a.value_width;
  if (width <= 32) return attend_in_tiles<E, 32, 4, 2>(on, a, positions);
  if (width <= 64) return attend_in_tiles<E, 64, 4, 2>(on, a, positions);
  return attend_in_tiles<E, 128, 8, 1>(on, a, positions);
}

// The loaded code was compiled for sm_80 or later, which implies tensor cores with these instructions.
bool has_tensor_cores(const scope& on) {
  static std::atomic<int> known[most_devices] = {};
  int found = known[on.device()].load(std::memory_order_relaxed);
  if (found == 0) {
    cudaFuncAttributes attributes{};
    const bool good = cudaFuncGetAttributes(&attributes, &attend_fp16<half, 32, 4, 2>) == cudaSuccess;
    found = good && attributes.ptxVersion >= 80 ? 1 : -1;
    if (!good) cudaGetLastError();
    known[on.device()].store(found, std::memory_order_relaxed);
  }
  return found > 0;
}

}  // namespace

bool fits_tensor_cores(const scope& on, const tb_attention& a) {
  return a.width <= 128 && a.value_width <= 128 && has_tensor_cores(on);
}

tb_status attend_by_tensor_cores(const scope& on, const tb_attention& a, int64_t positions) {
  return a.dtype == TB_F16 ? attend_elements<half>(on, a, positions) : attend_elements<bfloat16>(on, a, positions);
}

}  // namespace tb_cuda
