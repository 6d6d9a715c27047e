// The runtime's state: the text of the last failure, the device and the stream of a call.
#include <stdio.h>

#include "launch.cuh"
#include "report.cuh"
#include "table.cuh"

namespace tb_cuda {
namespace {

thread_local char text[512] = "no failure on this thread";

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

tb_status refuse(const char* why) {
  snprintf(text, sizeof(text), "%s", why);
  return TB_DEVICE_ERROR;
}

int32_t device_count() {
  int count = 0;
  return check(cudaGetDeviceCount(&count), "cudaGetDeviceCount") == TB_OK ? count : 0;
}

scope::scope(const void* result, void* stream) : stream_(static_cast<cudaStream_t>(stream)) {
  static const int32_t devices = device_count();
  if (devices == 1) return;
  cudaPointerAttributes attributes{};
  status_ = check(cudaPointerGetAttributes(&attributes, result), "cudaPointerGetAttributes");
  if (status_ != TB_OK) return;
  device_ = attributes.device;
  int current = 0;
  status_ = check(cudaGetDevice(&current), "cudaGetDevice");
  if (status_ != TB_OK || current == device_) return;
  status_ = check(cudaSetDevice(device_), "cudaSetDevice");
  if (status_ == TB_OK) previous_ = current;
}

int multiprocessors(const scope& on) {
  static int of[64] = {};
  int& known = of[on.device() % 64];
  if (known == 0) cudaDeviceGetAttribute(&known, cudaDevAttrMultiProcessorCount, on.device());
  return known > 0 ? known : 1;
}

temporary::temporary(const scope& on, uint64_t bytes) : device_(on.device()) {
  status_ = check(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "memory for the length of a call");
}

temporary::~temporary() { cudaFree(data_); }

bool deterministic() { return false; }

reporter report_for(const scope&) {
  static unsigned long long* first = nullptr;
  static told* host = nullptr;
  static uint64_t ticket = 0;
  if (first == nullptr) {
    cudaMalloc(&first, sizeof *first);
    cudaMemset(first, 0, sizeof *first);
    void* pinned = nullptr;
    cudaHostAlloc(&pinned, sizeof(told), cudaHostAllocMapped | cudaHostAllocPortable);
    host = static_cast<told*>(pinned);
    *host = {};
  }
  return {first, host, ++ticket};
}

}  // namespace tb_cuda
