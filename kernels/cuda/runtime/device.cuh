// Devices, current streams, and what is known of the calls of a thread.
#pragma once

#include "runtime/launch.cuh"

namespace tb_cuda {

constexpr int most_devices = 64;

// Of this process; 0 with a text in last_error() where there is none.
int32_t device_count();
const char* last_error();
// With more to say than a word of the runtime's; returns the status of the error.
tb_status fail_with(cudaError_t error, const char* text);

// This thread's choice for each device.
cudaStream_t current_stream(int device);
void set_current_stream(int device, cudaStream_t stream);
// Of the current device.
bool is_captured(cudaStream_t stream);

// Makes a device current while it lives.
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

// The operator that this thread calls; never null, 63 characters at most.
void calling(const char* name, uint64_t length);
const char* called_operator();

}  // namespace tb_cuda
