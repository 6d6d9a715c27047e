// Device memory, and the error text of the CUDA backend. Blocking and simple: caching is the caller's business.
#include <stdio.h>

#include "launch.cuh"

namespace tb_cuda {
namespace {

thread_local char text[512] = "no failure on this thread";

tb_status allocate(int32_t device, uint64_t bytes, void** out) {
  *out = nullptr;
  const device_scope scope(device);
  if (scope.status() != TB_OK) return scope.status();
  return check(cudaMalloc(out, bytes), "cudaMalloc");
}

tb_status release(int32_t device, void* pointer) {
  const device_scope scope(device);
  if (scope.status() != TB_OK) return scope.status();
  return check(cudaFree(pointer), "cudaFree");
}

tb_status copy_in(int32_t device, void* to, const void* from_host, uint64_t bytes) {
  const device_scope scope(device);
  if (scope.status() != TB_OK) return scope.status();
  return check(cudaMemcpy(to, from_host, bytes, cudaMemcpyHostToDevice), "copy from host to device");
}

tb_status copy_out(int32_t device, void* to_host, const void* from, uint64_t bytes) {
  const device_scope scope(device);
  if (scope.status() != TB_OK) return scope.status();
  return check(cudaMemcpy(to_host, from, bytes, cudaMemcpyDeviceToHost), "copy from device to host");
}

tb_status synchronize(int32_t device) {
  const device_scope scope(device);
  if (scope.status() != TB_OK) return scope.status();
  return check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

const tb_memory memory = {
    .size = sizeof(tb_memory),
    .version = TB_ABI_VERSION,
    .device_count = device_count,
    .allocate = allocate,
    .release = release,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .synchronize = synchronize,
    .last_error = last_error,
};

}  // namespace

const char* last_error() { return text; }

tb_status fail(cudaError_t error, const char* what) {
  cudaGetLastError();
  snprintf(text, sizeof(text), "%s: %s (%s)", what, cudaGetErrorString(error), cudaGetErrorName(error));
  switch (error) {
    case cudaErrorMemoryAllocation: return TB_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary: return TB_NO_DEVICE;
    default: return TB_DEVICE_ERROR;
  }
}

int32_t device_count() {
  int count = 0;
  return check(cudaGetDeviceCount(&count), "cudaGetDeviceCount") == TB_OK ? count : 0;
}

device_scope::device_scope(int device) {
  int current = 0;
  status_ = check(cudaGetDevice(&current), "cudaGetDevice");
  if (status_ != TB_OK || current == device) return;
  status_ = check(cudaSetDevice(device), "cudaSetDevice");
  if (status_ == TB_OK) previous_ = current;
}

device_scope device_scope::of(const void* memory_of_device) {
  static const int32_t devices = device_count();
  if (devices == 1) return device_scope(TB_OK);
  cudaPointerAttributes attributes{};
  const cudaError_t error = cudaPointerGetAttributes(&attributes, memory_of_device);
  if (error != cudaSuccess) return device_scope(fail(error, "cudaPointerGetAttributes"));
  return device_scope(attributes.device);
}

device_scope::~device_scope() {
  if (previous_ >= 0) cudaSetDevice(previous_);
}

}  // namespace tb_cuda

__attribute__((visibility("default"))) const tb_memory* tb_cuda_memory(void) { return &tb_cuda::memory; }
