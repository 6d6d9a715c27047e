// The tb_memory functions of CUDA, for tensors. Work is ordered by this thread's current stream.
#include "layout.h"
#include "runtime/caching_allocator.cuh"
#include "runtime/report.cuh"

namespace tb_cuda {
namespace {

// Checks a device index, which may come from a user.
tb_status known(int32_t device) {
  static const int32_t devices = device_count();
  if (devices == 0) {
    device_count();  // sets the error text of this thread
    return TB_NO_DEVICE;
  }
  return device >= 0 && device < devices ? TB_OK : fail(cudaErrorInvalidDevice, "looking for a device");
}

tb_status allocate(int32_t device, uint64_t bytes, void** out) {
  *out = nullptr;
  if (const tb_status status = known(device); status != TB_OK) return status;
  return take_memory(device, current_stream(device), bytes, out);
}

tb_status release(int32_t device, void* pointer) {
  give_memory(device, pointer);
  return TB_OK;
}

tb_status copy(int32_t device, void* to, const void* from, uint64_t bytes, cudaMemcpyKind kind, const char* what) {
  if (const tb_status status = known(device); status != TB_OK) return status;
  const device_guard guard(device);
  if (guard.status() != TB_OK) return guard.status();
  const cudaStream_t stream = current_stream(device);
  if (const tb_status status = check(cudaMemcpyAsync(to, from, bytes, kind, stream), what); status != TB_OK) {
    return status;
  }
  return check(cudaStreamSynchronize(stream), what);
}
tb_status copy_in(int32_t device, void* to, const void* from_host, uint64_t bytes) {
  return copy(device, to, from_host, bytes, cudaMemcpyHostToDevice, "copying from the host");
}
tb_status copy_out(int32_t device, void* to_host, const void* from, uint64_t bytes) {
  return copy(device, to_host, from, bytes, cudaMemcpyDeviceToHost, "copying to the host");
}

tb_status synchronize(int32_t device) {
  if (const tb_status status = known(device); status != TB_OK) return status;
  const device_guard guard(device);
  if (guard.status() != TB_OK) return guard.status();
  return check(cudaDeviceSynchronize(), "waiting for the device");
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
}  // namespace tb_cuda

__attribute__((visibility("default"))) const tb_memory* tb_cuda_memory(void) { return &tb_cuda::memory; }
