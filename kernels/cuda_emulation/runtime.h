// The subset of the CUDA runtime API that this project calls, for a machine without a GPU. There are two devices,
// whose memory the host can access only in copies and launches. A stream executes its work when something waits for
// it, or records it into a graph.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "block.h"

enum cudaError_t : int {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorStubLibrary = 34,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorStreamCaptureUnsupported = 900,
  cudaErrorStreamCaptureInvalidated = 901,
  cudaErrorUnknown = 999
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice };
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal,
  cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2, cudaEventDefault = 0;
constexpr unsigned cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2;

struct cuda_host_stream;
struct cuda_host_event;
struct cuda_host_graph;
using cudaStream_t = cuda_host_stream*;
using cudaEvent_t = cuda_host_event*;
using cudaGraph_t = cuda_host_graph*;
using cudaGraphExec_t = cuda_host_graph*;
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock, sharedMemPerBlockOptin;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerBlock, warpSize, memoryBusWidth, asyncEngineCount;
};
struct cudaLaunchAttribute;
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

const char* cudaGetErrorString(cudaError_t);
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDriverGetVersion(int*);
cudaError_t cudaRuntimeGetVersion(int*);
cudaError_t cudaGetDeviceCount(int*);
cudaError_t cudaGetDevice(int*);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int device);
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaMalloc(void**, size_t);
template <typename T>
cudaError_t cudaMalloc(T** p, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(p), bytes);
}
cudaError_t cudaFree(void*);
cudaError_t cudaHostAlloc(void**, size_t, unsigned flags);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemcpyPeerAsync(void*, int to, const void*, int from, size_t, cudaStream_t = nullptr);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = nullptr);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned flags, int priority);
cudaError_t cudaStreamGetDevice(cudaStream_t, int*);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags = 0);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t);

namespace cuda_emulation {

// Queues work, which runs when something waits for the stream, or records it if the stream is capturing. `work`
// returns false if it touched invalid memory: the device is lost then. `drop` frees the argument.
cudaError_t submit(cudaStream_t stream, bool (*work)(void*), void (*drop)(void*), void* argument);
// RAII: gives host code, such as a Thrust algorithm, access to device memory.
class device_access {
 public:
  device_access();
  device_access(const device_access&) = delete;
  device_access& operator=(const device_access&) = delete;
  ~device_access();
};

template <typename Work>
cudaError_t submit(cudaStream_t stream, Work work) {
  const auto run = [](void* p) {
    Work& of = *static_cast<Work*>(p);
    if constexpr (std::is_void_v<decltype(of())>) {
      return of(), true;
    } else {
      return of();
    }
  };
  return submit(stream, run, [](void* p) { delete static_cast<Work*>(p); }, new Work(std::move(work)));
}

bool launchable(const cudaLaunchConfig_t& config, const void* kernel);
cudaError_t allow_dynamic_shared(const void* kernel, int bytes);

}  // namespace cuda_emulation

struct cudaFuncAttributes {
  int ptxVersion;
};
template <typename... Parameters>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* found, void (*)(Parameters...)) {
  return *found = {90}, cudaSuccess;
}
template <typename... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute, int bytes) {
  return cuda_emulation::allow_dynamic_shared(reinterpret_cast<const void*>(kernel), bytes);
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... given) {
  if (!cuda_emulation::launchable(*config, reinterpret_cast<const void*>(kernel))) return cudaErrorInvalidValue;
  using pack = std::tuple<std::remove_cv_t<Parameters>...>;
  struct call {
    void (*kernel)(Parameters...);
    pack arguments;
  };
  return cuda_emulation::submit(config->stream,
                                [grid = config->gridDim, block = config->blockDim, shared = config->dynamicSmemBytes,
                                 one = call{kernel, pack(std::forward<Arguments>(given)...)}] {
                                  return cuda_emulation::run(
                                      grid, block, shared,
                                      [](const void* p) {
                                        const call& c = *static_cast<const call*>(p);
                                        std::apply(c.kernel, c.arguments);
                                      },
                                      &one);
                                });
}
