// Scaled dot-product attention on CUDA cores, in one pass over the keys. A block has a tile of queries at one batch
// position; per tile of keys it computes the scores, the softmax weights and the weighted sum of the values. When
// the running maximum of the scores grows, the sums are rescaled (Milakov, Gimelshein: "Online normalizer
// calculation for softmax", 2018).
//
// 16 threads share Side queries: each computes the scores of Side keys and the sums of value_parts columns. The
// maximum score and the sum of the weights of a query are reductions over half a warp.
#include "attention/attention.cuh"
#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

using namespace attending;

constexpr int side_threads = 16;
constexpr int threads = side_threads * side_threads;
constexpr int slice = 16;
constexpr int value_parts = 4;  // columns of the result per thread

__device__ inline float exp_of(float x) { return expf(x); }
__device__ inline double exp_of(double x) { return exp(x); }

// Reductions over the 16 threads that share queries.
template <typename T>
__device__ T greatest_of(T x) {
  for (int bits = side_threads / 2; bits > 0; bits /= 2) {
    const T other = __shfl_xor_sync(0xffffffff, x, bits);
    x = other > x ? other : x;
  }
  return x;
}
template <typename T>
__device__ T sum_of(T x) {
  for (int bits = side_threads / 2; bits > 0; bits /= 2) x += __shfl_xor_sync(0xffffffff, x, bits);
  return x;
}

// Loads a slice [slice][Lines] of a matrix [lines][depth], transposed; out-of-range elements are 0. Neighbouring
// threads read along the contiguous dimension.
template <int Lines, typename T, int Pitch, typename E>
__device__ void read_slice(T (&to)[slice][Pitch], const E* from, int64_t line_step, int64_t depth_step, int64_t lines,
                           int64_t depth) {
  const bool along_depth = depth_step == 1;
#pragma unroll
  for (int i = 0; i < Lines * slice / threads; ++i) {
    const int n = int(threadIdx.x) + i * threads;
    const int line = along_depth ? n / slice : n % Lines, d = along_depth ? n % slice : n / Lines;
    to[d][line] = line < lines && d < depth ? to_compute<T>(from[line * line_step + d * depth_step]) : T(0);
  }
}

template <typename T, int Side, typename E>
__global__ void __launch_bounds__(threads) attend(attention_call<T, E> p) {
  constexpr int tile = side_threads * Side, value_columns = side_threads * value_parts;
  constexpr int pitch = tile + 4 > value_columns + 4 ? tile + 4 : value_columns + 4;
  // `left` holds queries; `right` holds keys during the scores, then values.
  __align__(16) __shared__ T left[slice][tile + 4];
  __align__(16) __shared__ T right[slice][pitch];
  __align__(16) __shared__ T weights[tile][tile + 4];  // [key][query]
  const int x = int(threadIdx.x) % side_threads, y = int(threadIdx.x) / side_threads;
  const int64_t position = int64_t(blockIdx.x) / p.tiles;
  const int64_t first = int64_t(blockIdx.x) % p.tiles * tile;  // first query of the tile
  int64_t at[role_count];
  p.batch.at(position, at);
  const E* const query = p.query + at[is_query] + first * p.of[is_query].row;
  const E* const key = p.key + at[is_key];
  const int64_t end = p.keys_before(first + tile);

  for (int64_t column = int64_t(blockIdx.y) * value_columns; column < p.value_width;
       column += int64_t(gridDim.y) * value_columns) {
    const E* const value = p.value + at[is_value] + column * p.of[is_value].col;
    T sum[Side][value_parts] = {}, top[Side], total[Side] = {};
#pragma unroll
    for (int i = 0; i < Side; ++i) top[i] = T(-INFINITY);

    for (int64_t k = 0; k < end; k += tile) {
      const int64_t keys = end - k < tile ? end - k : tile;
      T score[Side][Side] = {};
      for (int64_t d = 0; d < p.width; d += slice) {
        read_slice<tile>(left, query + d * p.of[is_query].col, p.of[is_query].row, p.of[is_query].col,
                         p.queries - first, p.width - d);
        read_slice<tile>(right, key + k * p.of[is_key].row + d * p.of[is_key].col, p.of[is_key].row, p.of[is_key].col,
                         keys, p.width - d);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < slice; ++e) {
#pragma unroll
          for (int i = 0; i < Side; ++i) {
#pragma unroll
            for (int j = 0; j < Side; ++j) score[i][j] += left[e][y * Side + i] * right[e][x * Side + j];
          }
        }
        __syncthreads();
      }

#pragma unroll
      for (int i = 0; i < Side; ++i) {
        const int64_t q = first + y * Side + i;
        T greatest = T(-INFINITY);
#pragma unroll
        for (int j = 0; j < Side; ++j) {
          const int64_t here = k + x * Side + j;
          T& s = score[i][j];
          s *= p.scale;
          const bool there = q < p.queries && here < end && (!p.causal || here <= q);
          if (!there) {
            s = T(-INFINITY);
          } else if (p.mask != nullptr) {
            s = p.masked(s, at[is_mask] + q * p.of[is_mask].row + here * p.of[is_mask].col, T(1));
          }
          greatest = s > greatest ? s : greatest;
        }
        greatest = greatest_of(greatest);
        const T before = top[i], now = greatest > before ? greatest : before;
        const T shift = now == T(-INFINITY) ? T(0) : now;
        const T less = before == T(-INFINITY) ? T(0) : exp_of(before - shift);
        T added = 0;
#pragma unroll
        for (int j = 0; j < Side; ++j) {
          score[i][j] = exp_of(score[i][j] - shift);
          added += score[i][j];
          weights[x * Side + j][y * Side + i] = score[i][j];
        }
        total[i] = total[i] * less + sum_of(added);
        top[i] = now;
#pragma unroll
        for (int c = 0; c < value_parts; ++c) sum[i][c] *= less;
      }

      for (int64_t d = 0; d < keys; d += slice) {
        read_slice<value_columns>(right, value + (k + d) * p.of[is_value].row, p.of[is_value].col, p.of[is_value].row,
                                  p.value_width - column, keys - d);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < slice; ++e) {
#pragma unroll
          for (int i = 0; i < Side; ++i) {
#pragma unroll
            for (int c = 0; c < value_parts; ++c) {
              sum[i][c] += weights[d + e][y * Side + i] * right[e][x + c * side_threads];
            }
          }
        }
        __syncthreads();
      }
    }

#pragma unroll
    for (int i = 0; i < Side; ++i) {
      const int64_t q = first + y * Side + i;
      if (q >= p.queries) continue;
      const T factor = p.factor_of(total[i]);
#pragma unroll
      for (int c = 0; c < value_parts; ++c) {
        const int64_t v = column + x + c * side_threads;
        if (v >= p.value_width) continue;
        p.out[at[is_out] + q * p.of[is_out].row + v * p.of[is_out].col] = from_compute<E>(sum[i][c] * factor);
      }
    }
  }
}

template <typename T, int Side, typename E = T>
tb_status attention_of(const tb_attention& a, const tb_call* where) {
  constexpr int tile = side_threads * Side, value_columns = side_threads * value_parts;
  int64_t positions = 1;
  for (int d = 0; d < a.ndim; ++d) positions *= a.sizes[d];
  if (positions <= 0 || a.queries <= 0 || a.value_width <= 0) return TB_OK;
  const scope on(a.out.data, where);
  if (on.status() != TB_OK) return on.status();
  if constexpr (is_half<E>) {
    if (fits_tensor_cores(on, a)) return attend_by_tensor_cores(on, a, positions);
  }
  const attention_call<T, E> p(a, tile);
  if (positions * p.tiles > INT32_MAX) return refuse("attention: found more tiles of queries than a grid has");
  const int64_t columns = (a.value_width + value_columns - 1) / value_columns;
  const dim3 grid(unsigned(positions * p.tiles), unsigned(columns < 65535 ? columns : 65535));
  return launch(on, "attention", &attend<T, Side, E>, grid, threads, 0, p);
}

}  // namespace

tb_status attention(const tb_attention* call, const tb_call* where) {
  if (call->mask.data != nullptr && call->mask_dtype != TB_BOOL && call->mask_dtype != call->dtype) {
    return TB_UNSUPPORTED_DTYPE;
  }
  switch (call->dtype) {
    case TB_F16: return attention_of<float, 4, half>(*call, where);
    case TB_BF16: return attention_of<float, 4, bfloat16>(*call, where);
    case TB_F32: return attention_of<float, 4>(*call, where);
    case TB_F64: return attention_of<double, 2>(*call, where);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
