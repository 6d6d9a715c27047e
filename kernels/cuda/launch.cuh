// What every CUDA source needs around a launch: the device, the grid, the stream and the error.
//
// Kernels run on the device that holds their result, in the stream they are given. Errors become a status here and a
// text in memory.cu, per thread.
#pragma once

#include <cuda_runtime.h>

#include <stdint.h>

#include "kernel_abi.h"
#include "layout.h"

namespace tb_cuda {

// Keeps the text for tb_memory::last_error and clears the runtime's own error.
tb_status fail(cudaError_t error, const char* what);
// This thread's last failure, for people; never null.
const char* last_error();

inline tb_status check(cudaError_t error, const char* what) { return error == cudaSuccess ? TB_OK : fail(error, what); }

inline tb_status after_launch(const char* what) { return check(cudaGetLastError(), what); }

int32_t device_count();

// Makes a device current for a scope.
class device_scope {
 public:
  explicit device_scope(int device);
  static device_scope of(const void* memory);  // the device that holds this memory
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  ~device_scope();

  tb_status status() const { return status_; }

 private:
  explicit device_scope(tb_status status) : status_(status) {}

  int previous_ = -1;  // -1: nothing to restore
  tb_status status_ = TB_OK;
};

inline cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

constexpr int block_threads = 256;

// Kernels stride over the grid, so it need not cover the work.
inline unsigned grid_for(int64_t work) {
  const int64_t blocks = (work + block_threads - 1) / block_threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < 65536 ? blocks : 65536);
}

__device__ inline int64_t first_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ inline int64_t index_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Stream-ordered device memory for the length of a call.
class temporary {
 public:
  temporary(uint64_t bytes, cudaStream_t stream) : stream_(stream) {
    status_ = check(cudaMallocAsync(&data_, bytes == 0 ? 1 : bytes, stream), "cudaMallocAsync");
  }
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }

  tb_status status() const { return status_; }
  void* data() const { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
  tb_status status_;
};

tb_status copy(const tb_plan* plan, void* stream);
tb_status arange(const tb_plan* plan, tb_scalar start, tb_scalar step, void* stream);
tb_status pointwise(const tb_pointwise* call, void* stream);
tb_status matmul(const tb_matmul* product, void* stream);

}  // namespace tb_cuda
