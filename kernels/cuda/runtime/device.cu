// Error texts, the history of called operators, and the device and stream of a call.
#include "runtime/device.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "runtime/report.cuh"

namespace tb_cuda {
namespace {

constexpr int remembered = 8;
constexpr int name_bytes = 64;

struct history {
  char name[remembered][name_bytes];
  uint64_t calls;
};

constinit thread_local char text[1024] = "no failure on this thread";
constinit thread_local history called{};
constinit thread_local cudaStream_t current[most_devices]{};

// Sticky errors: every later call of the process fails.
bool is_lost(cudaError_t error) {
  return error == cudaErrorIllegalAddress || (error >= 709 && error <= 719) || error == cudaErrorUnknown;
}

void append_calls() {
  size_t used = strlen(text);
  const auto add = [&](const char* more) {
    used += size_t(snprintf(text + used, sizeof(text) - used, "%s", more));
    if (used >= sizeof(text)) used = sizeof(text) - 1;
  };
  add("; the CUDA context of this process is unusable. Kernels run asynchronously: the error is of one of");
  for (uint64_t i = 0; i < remembered && i < called.calls; ++i) {
    add(i == 0 ? " " : ", ");
    add(called.name[(called.calls - 1 - i) % remembered]);
  }
  add(" (the last one first) or an earlier one; TOPBIT_CUDA_BLOCKING=1 waits for each and says which");
}

bool is_blocking() {
  static const bool on = [] {
    const char* const wanted = getenv("TOPBIT_CUDA_BLOCKING");
    return wanted != nullptr && wanted[0] != '\0' && strcmp(wanted, "0") != 0;
  }();
  return on;
}

tb_status status_of(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return TB_OK;
    case cudaErrorMemoryAllocation: return TB_OUT_OF_MEMORY;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary: return TB_NO_DEVICE;
    default: return TB_DEVICE_ERROR;
  }
}

}  // namespace

const char* last_error() { return text; }

tb_status fail(cudaError_t error, const char* what) {
  cudaGetLastError();
  const char* advice = "";
  if (error == cudaErrorNoKernelImageForDevice) {
    advice =
        "; this build has no code for the architecture of this GPU, configure with -DCMAKE_CUDA_ARCHITECTURES=native";
  } else if (error == cudaErrorInsufficientDriver) {
    advice = "; found no driver, or one that is older than the runtime of this build: install NVIDIA's driver";
  } else if (error == cudaErrorStreamCaptureUnsupported) {
    advice = "; while a graph is captured no call may wait for the device or copy elements to the host";
  }
  snprintf(text, sizeof(text), "%s: %s (%s)%s", what, cudaGetErrorString(error), cudaGetErrorName(error), advice);
  if (is_lost(error)) append_calls();
  return status_of(error);
}

tb_status fail_with(cudaError_t error, const char* words) {
  cudaGetLastError();
  snprintf(text, sizeof(text), "%s", words);
  return status_of(error);
}

tb_status refuse(const char* why) {
  snprintf(text, sizeof(text), "%s", why);
  return TB_DEVICE_ERROR;
}

int32_t device_count() {
  int count = 0;
  if (check(cudaGetDeviceCount(&count), "looking for devices") != TB_OK) return 0;
  return count < most_devices ? count : most_devices;
}

cudaStream_t current_stream(int device) { return current[device]; }

void set_current_stream(int device, cudaStream_t stream) { current[device] = stream; }

device_guard::device_guard(int device) {
  int before = 0;
  status_ = check(cudaGetDevice(&before), "cudaGetDevice");
  if (status_ != TB_OK || before == device) return;
  status_ = check(cudaSetDevice(device), "cudaSetDevice");
  if (status_ == TB_OK) previous_ = before;
}

scope::scope(const void* result, const tb_call* where) {
  static const int32_t devices = device_count();
  if (where != nullptr) {
    stream_ = static_cast<cudaStream_t>(where->stream);
    device_ = where->device;
  } else if (devices != 1 && result != nullptr) {
    cudaPointerAttributes attributes{};
    status_ = check(cudaPointerGetAttributes(&attributes, result), "cudaPointerGetAttributes");
    if (status_ != TB_OK) return;
    device_ = attributes.device < 0 ? 0 : attributes.device;
  }
  if (devices != 1) {
    int before = 0;
    status_ = check(cudaGetDevice(&before), "cudaGetDevice");
    if (status_ == TB_OK && before != device_) {
      status_ = check(cudaSetDevice(device_), "cudaSetDevice");
      if (status_ == TB_OK) previous_ = before;
    }
  }
  if (stream_ == nullptr) stream_ = current[device_];
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream, &status);
  return status != cudaStreamCaptureStatusNone;
}
bool is_captured(const scope& on) { return is_captured(on.stream()); }

tb_status after_launch(const scope& on, cudaError_t error, const char* what) {
  if (error != cudaSuccess) return fail(error, what);
  if (!is_blocking() || is_captured(on)) return TB_OK;
  if (const tb_status status = check(cudaStreamSynchronize(on.stream()), what); status != TB_OK) return status;
  tb_cuda_report report;
  take_report(on.device(), &report);
  return static_cast<tb_status>(report.status);
}

int multiprocessors(const scope& on) {
  static std::atomic<int> known[most_devices] = {};
  int count = known[on.device()].load(std::memory_order_relaxed);
  if (count != 0) return count;
  if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, on.device()) != cudaSuccess || count < 1)
    count = 1;
  known[on.device()].store(count, std::memory_order_relaxed);
  return count;
}

void calling(const char* name, uint64_t length) {
  char* const to = called.name[called.calls++ % remembered];
  const size_t some = length < name_bytes ? size_t(length) : name_bytes - 1;
  memcpy(to, name, some);
  to[some] = '\0';
}

const char* called_operator() { return called.calls == 0 ? "a kernel" : called.name[(called.calls - 1) % remembered]; }

}  // namespace tb_cuda
