// Device memory.
#include "launch.cuh"
#include "table.cuh"

namespace tb_cuda {
namespace {

tb_status on_device(int32_t device) { return check(cudaSetDevice(device), "cudaSetDevice"); }

tb_status allocate(int32_t device, uint64_t bytes, void** out) {
  *out = nullptr;
  if (on_device(device) != TB_OK) return TB_DEVICE_ERROR;
  return check(cudaMalloc(out, bytes), "cudaMalloc");
}
tb_status release(int32_t device, void* pointer) {
  if (on_device(device) != TB_OK) return TB_DEVICE_ERROR;
  return check(cudaFree(pointer), "cudaFree");
}
tb_status copy_in(int32_t device, void* to, const void* from_host, uint64_t bytes) {
  if (on_device(device) != TB_OK) return TB_DEVICE_ERROR;
  return check(cudaMemcpy(to, from_host, bytes, cudaMemcpyHostToDevice), "copy from host to device");
}
tb_status copy_out(int32_t device, void* to_host, const void* from, uint64_t bytes) {
  if (on_device(device) != TB_OK) return TB_DEVICE_ERROR;
  return check(cudaMemcpy(to_host, from, bytes, cudaMemcpyDeviceToHost), "copy from device to host");
}
tb_status synchronize(int32_t device) {
  if (on_device(device) != TB_OK) return TB_DEVICE_ERROR;
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
}  // namespace tb_cuda

__attribute__((visibility("default"))) const tb_memory* tb_cuda_memory(void) { return &tb_cuda::memory; }
