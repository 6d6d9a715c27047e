// CUDA matrix product: a block computes a 64 x 64 tile of the result from slices of a and b in shared memory, each
// of its 256 threads a 4 x 4 patch in registers. Strides of a and b are free; they matter only while loading.
#include "launch.cuh"

namespace tb_cuda {
namespace {

constexpr int tile = 64;
constexpr int slice = 16;
constexpr int patch = 4;
constexpr int side = tile / patch;  // threads along each side

template <typename T>
struct product_of {
  T* out;
  const T* a;
  const T* b;
  int64_t m, n, k, out_row, a_row, a_col, b_row, b_col;
};

// A thread's patch is spread over the tile in steps of `side`, so that neighbours read neighbouring columns.
template <typename T>
__global__ void matmul_kernel(product_of<T> p) {
  __shared__ T a_slice[slice][tile + 1];  // one column more, against bank conflicts while it is filled
  __shared__ T b_slice[slice][tile];
  const int thread = static_cast<int>(threadIdx.x);
  const int x = thread % side;
  const int y = thread / side;
  const int64_t row_tiles = (p.m + tile - 1) / tile;
  for (int64_t row_tile = blockIdx.y; row_tile < row_tiles; row_tile += gridDim.y) {
    const int64_t row = row_tile * tile;
    const int64_t col = static_cast<int64_t>(blockIdx.x) * tile;
    T sum[patch][patch] = {};
    for (int64_t depth = 0; depth < p.k; depth += slice) {
      for (int i = thread; i < tile * slice; i += side * side) {
        const int a_r = i / slice;
        const int a_c = i % slice;
        a_slice[a_c][a_r] =
            row + a_r < p.m && depth + a_c < p.k ? p.a[(row + a_r) * p.a_row + (depth + a_c) * p.a_col] : T(0);
        const int b_r = i / tile;
        const int b_c = i % tile;
        b_slice[b_r][b_c] =
            depth + b_r < p.k && col + b_c < p.n ? p.b[(depth + b_r) * p.b_row + (col + b_c) * p.b_col] : T(0);
      }
      __syncthreads();
      for (int d = 0; d < slice; ++d) {
        T left[patch];
        T right[patch];
        for (int i = 0; i < patch; ++i) left[i] = a_slice[d][y + i * side];
        for (int j = 0; j < patch; ++j) right[j] = b_slice[d][x + j * side];
        for (int i = 0; i < patch; ++i) {
          for (int j = 0; j < patch; ++j) sum[i][j] += left[i] * right[j];
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < patch; ++i) {
      for (int j = 0; j < patch; ++j) {
        const int64_t r = row + y + i * side;
        const int64_t c = col + x + j * side;
        if (r < p.m && c < p.n) p.out[r * p.out_row + c] = sum[i][j];
      }
    }
  }
}

template <typename T>
tb_status multiply(const tb_matmul& product, void* stream) {
  if (product.m <= 0 || product.n <= 0) return TB_OK;
  const device_scope scope = device_scope::of(product.out);
  if (scope.status() != TB_OK) return scope.status();
  const int64_t row_tiles = (product.m + tile - 1) / tile;
  const int64_t col_tiles = (product.n + tile - 1) / tile;
  const dim3 grid(static_cast<unsigned>(col_tiles), static_cast<unsigned>(row_tiles < 65535 ? row_tiles : 65535));
  matmul_kernel<<<grid, side * side, 0, stream_of(stream)>>>(product_of<T>{
      static_cast<T*>(product.out), static_cast<const T*>(product.a), static_cast<const T*>(product.b), product.m,
      product.n, product.k, product.out_row, product.a_row, product.a_col, product.b_row, product.b_col});
  return after_launch("matmul kernel");
}

}  // namespace

tb_status matmul(const tb_matmul* product, void* stream) {
  const bool plain = product->batch == 1 && product->out_col == 1 && product->alpha.f == 1 &&
                     product->added == nullptr && product->out_dtype == product->dtype && product->activation < 0;
  if (!plain) {
    return fail(
        cudaErrorNotSupported,
        "a product with a batch, a factor, something added, an activation, or another dtype or other strides of "
        "the result");
  }
  switch (product->dtype) {
    case TB_F32: return multiply<float>(*product, stream);
    case TB_F64: return multiply<double>(*product, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
