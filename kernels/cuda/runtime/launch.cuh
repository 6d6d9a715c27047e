// What every CUDA source needs around a launch: the device and the stream of a call, the grid, memory for its length,
// and errors.
//
// Sources are written in the part of CUDA that kernels/cuda_emulation knows too: launch() in place of <<<>>>,
// dynamic_shared() in place of an extern array, and no lambda of the device. Nothing waits for the device unless a
// result of the host depends on it, so that calls can be captured into a graph.
#pragma once

#include <cuda_runtime.h>

#include <stdint.h>

#include <type_traits>
#include <utility>

#include "kernel_abi.h"
#include "layout.h"

namespace tb_cuda {

// Keeps the text for tb_kernels::last_error and clears the runtime's own error.
tb_status fail(cudaError_t error, const char* what);
// The same in our own words, for what this backend cannot do.
tb_status refuse(const char* why);

inline tb_status check(cudaError_t error, const char* what) { return error == cudaSuccess ? TB_OK : fail(error, what); }

// A call: on the device that holds the result, which is current while this lives, in the stream it was given, or in
// this thread's current one.
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

// Where TOPBIT_CUDA_BLOCKING is set, waits for what was launched and takes what it reports.
tb_status after_launch(const scope& on, cudaError_t error, const char* what);

// Parameters are by value: structs of plain numbers and pointers to memory of the device.
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

// Kernels stride over the grid, so it need not cover the work.
inline unsigned grid_for(int64_t work, int threads = block_threads) {
  const int64_t blocks = (work + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 ? 1 : blocks < 65536 ? blocks : 65536);
}

// With one thread per piece of work, as far as the grid reaches.
template <typename... Parameters, typename... Arguments>
tb_status launch_over(const scope& on, const char* what, int64_t work, void (*kernel)(Parameters...),
                      Arguments&&... given) {
  return launch(on, what, kernel, grid_for(work), block_threads, 0, std::forward<Arguments>(given)...);
}

__device__ inline int64_t first_index() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ inline int64_t index_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

// Lets launch() be asked for so much shared memory: without this it is 48 KiB at most.
template <typename... Parameters>
tb_status allow_shared(void (*kernel)(Parameters...), size_t bytes) {
  if (bytes <= size_t(48) << 10) return TB_OK;
  return check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), "shared memory");
}

// The shared memory that launch() was asked for, aligned to 16 bytes.
template <typename T>
__device__ T* dynamic_shared() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes);
#else
  return reinterpret_cast<T*>(cuda_emulation::dynamic_shared);
#endif
}

// Whether the call is recorded into a graph, not done.
bool is_captured(const scope& on);

int multiprocessors(const scope& on);

// Memory of the device for the length of a call, ordered by its stream; aligned to 512 bytes.
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

// Whether the results of a call must not depend on the order in which threads arrive: tb_cuda_runtime sets it.
bool deterministic();

}  // namespace tb_cuda
