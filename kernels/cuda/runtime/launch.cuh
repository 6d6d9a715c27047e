// Launch utilities of all CUDA sources: the device and stream of a call, grids, temporary memory, errors.
//
// Sources use the subset of CUDA that kernels/cuda_emulation implements: launch() instead of <<<>>>,
// dynamic_shared() instead of an extern array, no device lambdas. No call synchronizes unless it returns a result to
// the host, so that calls can be captured into a graph.
#pragma once

#include <cuda_runtime.h>

#include <stdint.h>

#include <type_traits>
#include <utility>

#include "kernel_abi.h"
#include "layout.h"

namespace tb_cuda {

// Sets the text of tb_kernels::last_error and clears the runtime's error state.
tb_status fail(cudaError_t error, const char* what);
// Sets the text of an operation that this backend does not support.
tb_status refuse(const char* why);

inline tb_status check(cudaError_t error, const char* what) { return error == cudaSuccess ? TB_OK : fail(error, what); }

// A call: makes the result's device current for its lifetime, and has the stream that was given, else this thread's
// current stream.
class scope {
 public:
  scope(const void* result, const tb_call* where);
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() {
    if (previous_ >= 0) cudaSetDevice(previous_);
  }

  tb_status status() const { return status_; }
  int device() const { return device_; }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
  int device_ = 0;
  int previous_ = -1;  // -1: nothing to restore
  tb_status status_ = TB_OK;
};

// With TOPBIT_CUDA_BLOCKING set, waits for the launch and returns its report.
tb_status after_launch(const scope& on, cudaError_t error, const char* what);

// Parameters are passed by value: structs of numbers and device pointers.
template <typename... Parameters, typename... Arguments>
tb_status launch(const scope& on, const char* what, void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared,
                 Arguments&&... given) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = on.stream();
  return after_launch(on, cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(given)...), what);
}

constexpr int block_threads = 256;

// Kernels use grid-stride loops, so the grid need not cover the work.
inline unsigned grid_for(int64_t work, int threads = block_threads) {
  const int64_t blocks = (work + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < 65536 ? blocks : 65536);
}

// Launches one thread per work item, up to the limit of grid_for().
template <typename... Parameters, typename... Arguments>
tb_status launch_over(const scope& on, const char* what, int64_t work, void (*kernel)(Parameters...),
                      Arguments&&... given) {
  return launch(on, what, kernel, grid_for(work), block_threads, 0, std::forward<Arguments>(given)...);
}

__device__ inline int64_t first_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ inline int64_t index_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Raises a kernel's limit of dynamic shared memory above the default of 48 KiB.
template <typename... Parameters>
tb_status allow_shared(void (*kernel)(Parameters...), size_t bytes) {
  if (bytes <= size_t(48) << 10) return TB_OK;
  return check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), "shared memory");
}

// The dynamic shared memory of the launch, aligned to 16 bytes.
template <typename T>
__device__ T* dynamic_shared() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes);
#else
  return reinterpret_cast<T*>(cuda_emulation::dynamic_shared);
#endif
}

// Whether the call is captured into a graph instead of executed.
bool is_captured(const scope& on);

int multiprocessors(const scope& on);

// Temporary device memory, ordered by the call's stream and freed by the destructor; aligned to 512 bytes.
class temporary {
 public:
  temporary(const scope& on, uint64_t bytes);
  temporary(const temporary&) = delete;
  temporary& operator=(const temporary&) = delete;
  ~temporary();

  tb_status status() const { return status_; }
  void* data() const { return data_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  int device_;
  void* data_ = nullptr;
  tb_status status_;
};

// Results must not depend on the order in which threads run (tb_cuda_runtime::set_deterministic).
bool deterministic();

}  // namespace tb_cuda
