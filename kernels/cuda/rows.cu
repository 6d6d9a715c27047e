// The classifier's loss on CUDA: log_softmax and its backward with a warp per row, nll_loss with one block.
//
// A bad label raises a flag on the device, which is copied back before the call returns: a label must never become
// an address.
#include <math_constants.h>

#include "launch.cuh"

namespace tb_cuda {
namespace {

constexpr int warp = 32;
constexpr unsigned whole_warp = 0xffffffffu;

template <typename T>
__device__ T warp_sum(T x) {
  for (int step = warp / 2; step > 0; step /= 2) x += __shfl_xor_sync(whole_warp, x, step);
  return x;
}

template <typename T>
__device__ T warp_greatest(T x) {
  for (int step = warp / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(whole_warp, x, step);
    x = other > x ? other : x;
  }
  return x;
}

__device__ int64_t first_row() { return first_index() / warp; }
__device__ int64_t row_step() { return index_step() / warp; }
__device__ int lane() { return static_cast<int>(threadIdx.x) % warp; }

// A NaN may be missed by the maximum; it comes back through the sum.
template <typename T>
__global__ void log_softmax_kernel(int64_t rows, int64_t cols, const T* in, T* out) {
  for (int64_t r = first_row(); r < rows; r += row_step()) {
    const T* from = in + r * cols;
    T top = static_cast<T>(-CUDART_INF);
    for (int64_t c = lane(); c < cols; c += warp) top = from[c] > top ? from[c] : top;
    top = warp_greatest(top);
    T sum = 0;
    for (int64_t c = lane(); c < cols; c += warp) sum += exp(from[c] - top);
    const T log_sum = log(warp_sum(sum));
    for (int64_t c = lane(); c < cols; c += warp) out[r * cols + c] = from[c] - top - log_sum;
  }
}

template <typename T>
__global__ void log_softmax_backward_kernel(int64_t rows, int64_t cols, const T* gradient, const T* result, T* out) {
  for (int64_t r = first_row(); r < rows; r += row_step()) {
    const int64_t row = r * cols;
    T sum = 0;
    for (int64_t c = lane(); c < cols; c += warp) sum += gradient[row + c];
    sum = warp_sum(sum);
    for (int64_t c = lane(); c < cols; c += warp) out[row + c] = gradient[row + c] - exp(result[row + c]) * sum;
  }
}

template <typename T>
__global__ void nll_loss_kernel(int64_t rows, int64_t cols, const T* in, const int64_t* labels, T* out, int* bad) {
  __shared__ double part[block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int64_t r = thread; r < rows; r += block_threads) {
    const int64_t label = labels[r];
    if (label >= 0 && label < cols) {
      sum += static_cast<double>(in[r * cols + label]);
    } else {
      *bad = 1;
    }
  }
  part[thread] = sum;
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) part[thread] += part[thread + half];
  }
  if (thread == 0) *out = static_cast<T>(-part[0] / static_cast<double>(rows));
}

template <typename T>
__global__ void nll_loss_backward_kernel(int64_t rows, int64_t cols, const T* in, const int64_t* labels, T* out,
                                         int* bad) {
  const T value = -*in / static_cast<T>(rows);
  for (int64_t i = first_index(); i < rows * cols; i += index_step()) {
    const int64_t label = labels[i / cols];
    if (label < 0 || label >= cols) *bad = 1;
    out[i] = i % cols == label ? value : T(0);
  }
}

template <typename T>
tb_status log_softmax_as(const tb_rows& rows, void* stream) {
  if (rows.rows <= 0 || rows.cols <= 0) return TB_OK;
  const device_scope scope = device_scope::of(rows.out);
  if (scope.status() != TB_OK) return scope.status();
  log_softmax_kernel<<<grid_for(rows.rows * warp), block_threads, 0, stream_of(stream)>>>(
      rows.rows, rows.cols, static_cast<const T*>(rows.in), static_cast<T*>(rows.out));
  return after_launch("log_softmax kernel");
}

template <typename T>
tb_status log_softmax_backward_as(const tb_rows& rows, void* stream) {
  if (rows.rows <= 0 || rows.cols <= 0) return TB_OK;
  const device_scope scope = device_scope::of(rows.out);
  if (scope.status() != TB_OK) return scope.status();
  log_softmax_backward_kernel<<<grid_for(rows.rows * warp), block_threads, 0, stream_of(stream)>>>(
      rows.rows, rows.cols, static_cast<const T*>(rows.in), static_cast<const T*>(rows.aux), static_cast<T*>(rows.out));
  return after_launch("log_softmax_backward kernel");
}

// Runs launch(flag) and reads the flag back, which waits for the stream.
template <typename Launch>
tb_status with_label_flag(const tb_rows& rows, cudaStream_t stream, Launch launch) {
  if (rows.rows > 0 && rows.cols <= 0) return TB_BAD_INDEX;
  const device_scope scope = device_scope::of(rows.out);
  if (scope.status() != TB_OK) return scope.status();
  const temporary flag(sizeof(int), stream);
  if (flag.status() != TB_OK) return flag.status();
  tb_status status = check(cudaMemsetAsync(flag.data(), 0, sizeof(int), stream), "clearing the label flag");
  if (status != TB_OK) return status;
  launch(static_cast<int*>(flag.data()));
  status = after_launch("nll_loss kernel");
  if (status != TB_OK) return status;
  int bad = 0;
  status = check(cudaMemcpyAsync(&bad, flag.data(), sizeof(int), cudaMemcpyDeviceToHost, stream), "label flag");
  if (status != TB_OK) return status;
  status = check(cudaStreamSynchronize(stream), "nll_loss");
  if (status != TB_OK) return status;
  return bad != 0 ? TB_BAD_INDEX : TB_OK;
}

template <typename T>
tb_status nll_loss_as(const tb_rows& rows, void* stream_pointer) {
  const cudaStream_t stream = stream_of(stream_pointer);
  return with_label_flag(rows, stream, [&](int* bad) {
    nll_loss_kernel<<<1, block_threads, 0, stream>>>(rows.rows, rows.cols, static_cast<const T*>(rows.in),
                                                     static_cast<const int64_t*>(rows.aux), static_cast<T*>(rows.out),
                                                     bad);
  });
}

template <typename T>
tb_status nll_loss_backward_as(const tb_rows& rows, void* stream_pointer) {
  if (rows.rows <= 0) return TB_OK;
  const cudaStream_t stream = stream_of(stream_pointer);
  return with_label_flag(rows, stream, [&](int* bad) {
    nll_loss_backward_kernel<<<grid_for(rows.rows * rows.cols), block_threads, 0, stream>>>(
        rows.rows, rows.cols, static_cast<const T*>(rows.in), static_cast<const int64_t*>(rows.aux),
        static_cast<T*>(rows.out), bad);
  });
}

}  // namespace

tb_status log_softmax(const tb_rows* rows, void* stream) {
  switch (rows->dtype) {
    case TB_F32: return log_softmax_as<float>(*rows, stream);
    case TB_F64: return log_softmax_as<double>(*rows, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status log_softmax_backward(const tb_rows* rows, void* stream) {
  switch (rows->dtype) {
    case TB_F32: return log_softmax_backward_as<float>(*rows, stream);
    case TB_F64: return log_softmax_backward_as<double>(*rows, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status nll_loss(const tb_rows* rows, void* stream) {
  switch (rows->dtype) {
    case TB_F32: return nll_loss_as<float>(*rows, stream);
    case TB_F64: return nll_loss_as<double>(*rows, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status nll_loss_backward(const tb_rows* rows, void* stream) {
  switch (rows->dtype) {
    case TB_F32: return nll_loss_backward_as<float>(*rows, stream);
    case TB_F64: return nll_loss_backward_as<double>(*rows, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
