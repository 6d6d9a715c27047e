// Devices, current streams, and the operators that a thread called.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

constexpr int most_devices = 64;

// The number of devices of this process; if 0, last_error() has the reason.
int32_t device_count();
const char* last_error();
// Sets a custom error text; returns the status of the error.
tb_status fail_with(cudaError_t error, const char* text);

// The current stream of this thread, per device.
cudaStream_t current_stream(int device);
void set_current_stream(int device, cudaStream_t stream);
// The stream is of the current device.
bool is_captured(cudaStream_t stream);

// RAII: makes a device current.
class device_guard {
 public:
  explicit device_guard(int device);
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    if (previous_ >= 0) cudaSetDevice(previous_);
  }
  tb_status status() const { return status_; }

 private:
  int previous_ = -1;
  tb_status status_ = TB_OK;
};

// The operator that this thread calls, for error messages; never null, at most 63 characters.
void calling(const char* name, uint64_t length);
const char* called_operator();

}  // namespace tb_cuda
